"""The house keeps its order: who may import whom, and where a foreign key may point."""

import re
import subprocess
import sys
from pathlib import Path

import grimp
import pytest
from django.apps import apps
from django.db.models import ForeignKey, ManyToManyField, Model

ROOT = Path(__file__).resolve().parent.parent.parent
ROOMS = (
    "ledger scopes policies evidence memories index conflicts retrieval candidates lifecycle erasure overview".split()
)
DOORS = "web api tasks management".split()


def room_of(model: type[Model]) -> str:
    return model.__module__.split(".")[1]


def test_rooms_and_doors_import_in_order():
    linter = Path(sys.executable).with_name("lint-imports")

    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("reader", ["governance.retrieval", "governance.index"])
def test_what_builds_context_cannot_write(reader: str):
    graph = grimp.build_graph("governance")
    modules = {reader} | graph.find_descendants(reader)

    writers = {
        f"{module} -> {imported}"
        for module in modules
        for imported in graph.find_modules_directly_imported_by(module)
        if imported.split(".")[-1] == "actions" and imported not in modules
    }

    assert writers == set()


WRITES = re.compile(r"(?<!super\(\))\.(?:save|create|bulk_create|get_or_create|update_or_create)\(")


@pytest.mark.parametrize("door", ["web", "api"])
def test_a_door_writes_no_row_itself(door: str):
    modules = (ROOT / "governance" / door).rglob("*.py")

    assert [path.name for path in modules if WRITES.search(path.read_text())] == []


def test_foreign_keys_point_to_the_same_room_or_one_above():
    wrong = [
        f"{model.__name__}.{field.name} -> {field.related_model.__name__}"
        for model in apps.get_app_config("governance").get_models()
        for field in model._meta.get_fields()
        if isinstance(field, ForeignKey | ManyToManyField)
        and field.related_model.__module__.startswith("governance.")
        and ROOMS.index(room_of(field.related_model)) > ROOMS.index(room_of(model))
    ]

    assert wrong == []


def test_doors_own_no_tables():
    assert [m.__name__ for m in apps.get_app_config("governance").get_models() if room_of(m) not in ROOMS] == []


def test_no_foreign_key_crosses_the_two_databases():
    crossing = [
        f"{model.__name__}.{field.name}"
        for model in apps.get_app_config("governance").get_models()
        for field in model._meta.get_fields()
        if isinstance(field, ForeignKey)
        and getattr(model, "keyring", False) != getattr(field.related_model, "keyring", False)
    ]

    assert crossing == []

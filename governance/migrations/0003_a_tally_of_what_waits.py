from collections import Counter
from datetime import UTC

from django.db import migrations, models

KEY = ("tenant", "level", "kind", "lane", "risk", "agent", "assigned_to")


def count(apps, schema_editor):
    """Count what waits already; from here on triggers do."""
    waiting = apps.get_model("governance", "Waiting")
    rows = apps.get_model("governance", "Candidate").objects.filter(
        status="pending", held_back=False, aside_role="", aside_until=None
    )
    tally = Counter(
        (*key, at.astimezone(UTC).strftime("%Y-%m-%d %H"))
        for *key, at in rows.values_list(*KEY, "created_at").iterator(chunk_size=2000)
    )
    waiting.objects.bulk_create(
        [
            waiting(**dict(zip((*KEY, "hour"), (value or "" for value in key), strict=True)), count=n)
            for key, n in tally.items()
        ],
        batch_size=500,
    )


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0002_what_a_day_brought'),
    ]

    operations = [
        migrations.CreateModel(
            name='Waiting',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('tenant', models.CharField(max_length=40)),
                ('hour', models.CharField(max_length=13)),
                ('level', models.CharField(max_length=10)),
                ('kind', models.CharField(max_length=10)),
                ('lane', models.CharField(max_length=12)),
                ('risk', models.CharField(max_length=8)),
                ('agent', models.CharField(max_length=40)),
                ('assigned_to', models.CharField(max_length=80)),
                ('count', models.PositiveIntegerField()),
            ],
        ),
        migrations.AddConstraint(
            model_name='waiting',
            constraint=models.UniqueConstraint(fields=('tenant', 'hour', 'level', 'kind', 'lane', 'risk', 'agent', 'assigned_to'), name='waiting_counted_once'),
        ),
        migrations.RemoveIndex(
            model_name='candidate',
            name='candidate_facets',
        ),
        migrations.AddIndex(
            model_name='candidate',
            index=models.Index(fields=['tenant', 'status', 'held_back', 'aside_role', 'aside_until', 'created_at', 'level', 'kind', 'lane', 'risk', 'agent', 'assigned_to'], name='candidate_facets'),
        ),
        migrations.RunPython(count, migrations.RunPython.noop),
    ]

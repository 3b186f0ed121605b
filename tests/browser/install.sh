#!/bin/sh
# Chromium and Chinese fonts for the browser tests: installed where we may, asked for where we may not.
set -eu

missing=""
command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 ||
  [ -n "${CHROMIUM:-}" ] || missing="chromium"
command -v fc-list >/dev/null 2>&1 && [ -n "$(fc-list :lang=zh family 2>/dev/null)" ] || missing="$missing fonts-noto-cjk"
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "Installing $missing…"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing fontconfig >/dev/null
  exit 0
fi

echo "Error: the browser tests need $missing. Install it, for example: sudo apt-get install $missing" >&2
echo "(CHROMIUM=/path/to/chrome names a browser that is elsewhere.)" >&2
exit 1

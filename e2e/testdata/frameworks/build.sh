#!/bin/sh
# Builds the sites beside this file anew: each source folder is installed and built in a temporary folder, and what its server
# answers is written down in the site folder; large scripts are compressed. Needs Node.js, npm and curl. Names of sites may be given.
set -eu
cd "$(dirname "$0")"
here=$PWD
export NEXT_TELEMETRY_DISABLED=1 NUXT_TELEMETRY_DISABLED=1
server=http://localhost:4100

# record PATH FILE [HEADER] writes an answer down.
record() {
	mkdir -p "$(dirname "$site/$2")"
	curl -fsSL -H "${3:-Accept: */*}" -o "$site/$2" "$server$1"
}

for name in ${*:-next-app next-pages nuxt sveltekit react-document react-router}; do
	site=$here/$name/site
	work=$(mktemp -d)
	cp -R "$here/$name/source/." "$work"
	cd "$work"
	npm install --no-audit --no-fund --silent
	rm -rf "$site"
	mkdir -p "$site"
	case $name in
	react-document) npm run build -- "$site" ;;
	*) npm run build ;;
	esac
	if [ "$name" != react-document ]; then
		setsid npm start >server.log 2>&1 &
		pid=$!
		trap 'kill -- -$pid' EXIT
		until curl -fsS -o server.html "$server/"; do sleep 1; done
		for page in "" contacts constant parts; do record "/$page" "${page:-index}.html"; done
		case $name in
		next-app)
			for page in edges streamed; do record "/$page" "$page.html"; done
			for page in "" contacts constant; do record "/$page" "${page:-index}.rsc" "RSC: 1"; done
			mkdir "$site/_next"
			cp -R .next/static "$site/_next"
			;;
		next-pages)
			for page in index contacts; do record "/_next/data/build/$page.json" "_next/data/build/$page.json"; done
			cp -R .next/static "$site/_next"
			;;
		nuxt)
			record /api/shop api/shop.json
			record /contacts/_payload.json contacts/_payload.json
			cp -R .output/public/_nuxt "$site/_nuxt"
			;;
		sveltekit)
			record /__data.json __data.json
			for page in contacts constant; do record "/$page/__data.json" "$page/__data.json"; done
			cp -R .svelte-kit/output/client/_app "$site/_app"
			;;
		react-router)
			for page in _root contacts; do record "/$page.data" "$page.data"; done
			cp -R build/client/assets "$site/assets"
			;;
		esac
		kill -- -$pid
		trap - EXIT
	fi
	# What only browsers without modules ask for.
	for script in $(grep -oh '<script src="[^"]*" noModule' "$site"/*.html | cut -d'"' -f2 | sort -u); do rm "$site$script"; done
	find "$site" -name '*.js' -size +40k -exec gzip -9n {} +
	cd "$here"
	rm -rf "$work"
done

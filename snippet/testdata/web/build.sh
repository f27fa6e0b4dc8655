#!/usr/bin/env bash
# Makes the pages of this folder anew; README.md says what is needed. It changes
# the configuration of what it runs, so run it where nothing else depends on that.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; wait; rm -rf "$work"' EXIT
chmod 755 "$work"

serve() { # folder port
	(cd "$1" && exec php -d error_reporting=0 -d display_errors=0 -S "127.0.0.1:$2" >"$work/php.log" 2>&1) &
	pids+=($!)
	for _ in $(seq 50); do curl -s -o /dev/null "http://127.0.0.1:$2/" && return; sleep 0.2; done
	return 1
}
save() { # file port address, other options of curl
	local file=$1 port=$2 address=$3
	shift 3
	curl -sS --fail-with-body --max-time 120 -H 'Host: shop.example' "$@" -o "$here/$file" "http://127.0.0.1:$port$address"
}
picture() { php -r '$i = imagecreatetruecolor(320, 240); imagefill($i, 0, 0, imagecolorallocate($i, 200, (int) $argv[2], 90)); imagepng($i, $argv[1]);' "$1" "$2"; }
picture "$work/lamp.png" 160
picture "$work/lamp2.png" 60

# WordPress, in English and in Russian, on a MariaDB of its own.
mkdir "$work/db"
chown mysql "$work/db"
mysql_install_db --user=mysql --datadir="$work/db" --auth-root-authentication-method=normal >/dev/null
mariadbd --no-defaults --user=mysql --datadir="$work/db" --socket="$work/db/socket" --skip-networking >"$work/db.log" 2>&1 &
pids+=($!)
for _ in $(seq 100); do mariadb -S "$work/db/socket" -e 'create database wordpress character set utf8mb4' 2>/dev/null && break; sleep 0.2; done
cat >/etc/wordpress/config-default.php <<PHP
<?php
define('DB_NAME', 'wordpress'); define('DB_USER', 'root'); define('DB_PASSWORD', ''); define('DB_HOST', 'localhost:$work/db/socket');
define('WP_CONTENT_DIR', '/usr/share/wordpress/wp-content'); define('DISABLE_WP_CRON', true); define('WP_HTTP_BLOCK_EXTERNAL', true);
PHP
cat >"$work/setup.php" <<'PHP'
<?php
$_SERVER['HTTP_HOST'] = 'shop.example'; $_SERVER['REQUEST_URI'] = '/';
define('WP_INSTALLING', true);
require '/usr/share/wordpress/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install("Ann's lamps & shades", 'ann', 'ann@shop.example', true, '', 'a lamp by the "window"');
update_option('siteurl', 'http://shop.example'); update_option('home', 'http://shop.example');
update_option('blogdescription', 'Lamps "made by hand" -- ring +7 (495) 123-45-67');
$pictures = [];
foreach (["Ann's lamp -- +7 812 333 44 55", 'Лампа "Фьорд", 84951234567'] as $i => $caption) {
	$id = wp_insert_attachment(['post_mime_type' => 'image/png', 'post_title' => "Lamp $i", 'post_excerpt' => $caption, 'post_status' => 'inherit', 'guid' => "http://shop.example/wp-content/uploads/lamp$i.png"], "lamp$i.png");
	update_post_meta($id, '_wp_attachment_image_alt', $caption);
	wp_update_attachment_metadata($id, ['width' => 320, 'height' => 240, 'file' => "lamp$i.png", 'sizes' => []]);
	$pictures[] = $id;
}
$content = str_replace('GALLERY', implode(',', $pictures), file_get_contents($argv[1]));
$id = wp_insert_post(wp_slash(['post_title' => 'Don\'t miss: "Fjord" -- the lamp\'s back', 'post_content' => $content, 'post_status' => 'publish', 'post_author' => 1, 'post_date' => '2026-04-01 10:00:00', 'post_category' => [1]]));
foreach (["It's great... ring me at 8 (812) 333-44-55 -- Олег", 'Спасибо! "Лучшая" лампа 😀 8 495 123 45 67'] as $text)
	wp_insert_comment(wp_slash(['comment_post_ID' => $id, 'comment_author' => "O'Neill", 'comment_content' => $text, 'comment_approved' => 1, 'comment_date' => '2026-04-02 10:00:00']));
wp_set_password('lamp', 1);
echo $id;
PHP
post=$(php -d error_reporting=0 -d display_errors=0 "$work/setup.php" "$here/source/post.html" | tail -1)
serve /usr/share/wordpress 8601
locale() { mariadb -S "$work/db/socket" wordpress -e "replace into wp_options (option_name, option_value, autoload) values ('WPLANG', '$1', 'yes')"; }
save wordpress-front.html 8601 /
save wordpress-post.html 8601 "/?p=$post"
save wordpress-search.html 8601 '/?s=%22lamp%27s%22'
save wordpress-feed.xml 8601 '/?feed=rss2'
save wordpress-login.html 8601 /wp-login.php
locale ru_RU
save wordpress-post-ru.html 8601 "/?p=$post"

# MediaWiki on SQLite.
rm -f /etc/mediawiki/LocalSettings.php
php /usr/share/mediawiki/maintenance/install.php --dbtype sqlite --dbpath "$work" --server http://shop.example --scriptpath '' --confpath /etc/mediawiki \
	--lang en --pass lampslampslamps --skins Vector,MonoBook --with-extensions "Ann's lamps" Ann >/dev/null
mkdir "$work/images"
cat >>/etc/mediawiki/LocalSettings.php <<PHP
\$wgEnableUploads = true; \$wgUploadDirectory = '$work/images'; \$wgUseImageMagick = false; \$wgJobRunRate = 0; \$wgUsePrivateIPs = true;
PHP
mkdir "$work/upload"
cp "$work/lamp.png" "$work/upload/Lamp.png"
cp "$work/lamp2.png" "$work/upload/Lamp2.png"
wiki() { php /usr/share/mediawiki/maintenance/"$@" >/dev/null; }
wiki importImages.php --user Ann "$work/upload"
head -3 "$here/source/article.wiki" | wiki edit.php --user Ann --summary "it's a beginning: +7 495 123-45-67" Workshop
wiki edit.php --user Ann --summary 'Телефоны: "8 (812) 333-44-55"' Workshop <"$here/source/article.wiki"
serve /usr/share/mediawiki 8602
save mediawiki-article.html 8602 '/index.php?title=Workshop'
save mediawiki-article-ru.html 8602 '/index.php?title=Workshop&uselang=ru&useskin=monobook'
save mediawiki-edit.html 8602 '/index.php?title=Workshop&action=edit'
save mediawiki-history.html 8602 '/index.php?title=Workshop&action=history'
save mediawiki-difference.html 8602 '/index.php?title=Workshop&diff=cur&oldid=prev'
save mediawiki-changes.xml 8602 '/api.php?action=feedrecentchanges&feedformat=atom&days=30'

# DokuWiki on files.
mkdir -p "$work/doku"/{attic,cache,index,locks,log,media,media_attic,media_meta,meta,pages,tmp}
cat >/etc/dokuwiki/local.php <<PHP
<?php
\$conf['title'] = "Ann's lamps"; \$conf['useacl'] = 0; \$conf['savedir'] = '$work/doku'; \$conf['baseurl'] = 'http://shop.example'; \$conf['basedir'] = '/'; \$conf['updatecheck'] = 0;
\$conf['typography'] = 2; \$conf['defer_js'] = 1;
PHP
head -4 "$here/source/page.doku" >"$work/doku/pages/start.txt"
serve /usr/share/dokuwiki 8603
edit=$(curl -sS -c "$work/cookies" -b "$work/cookies" -H 'Host: shop.example' 'http://127.0.0.1:8603/doku.php?id=start&do=edit')
token=$(sed -n 's/.*name="sectok" value="\([^"]*\)".*/\1/p' <<<"$edit" | head -1)
curl -sS -o /dev/null -c "$work/cookies" -b "$work/cookies" -H 'Host: shop.example' --data-urlencode "wikitext@$here/source/page.doku" --data-urlencode "summary=it's: +7 495 123-45-67" \
	-d "sectok=$token" -d 'id=start' -d 'do[save]=Save' -d 'prefix=' -d 'suffix=' -d 'date=' -d 'changecheck=' 'http://127.0.0.1:8603/doku.php'
save dokuwiki-page.html 8603 '/doku.php?id=start'
save dokuwiki-edit.html 8603 '/doku.php?id=start&do=edit'
save dokuwiki-revisions.html 8603 '/doku.php?id=start&do=revisions'
save dokuwiki-feed.xml 8603 '/feed.php?mode=list&ns='

# Whatever is this machine's is no part of a page.
sed -i "s|127\.0\.0\.1:86[0-9]*|shop.example|g; s|>127\.0\.0\.1<|>visitor<|g; s|$work|/var/www|g" ./*.html ./*.xml

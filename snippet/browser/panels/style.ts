import { surfaces } from './color';

/** Width in pixels up to which a panel takes the whole screen. */
export const narrow = 540;

/** Height in pixels up to which the launcher makes room for the panel, as on pages at twice their size. */
const low = 560;

/**
 * Rules of the host are important: those of a shadow tree then stand above the page's own, important ones too (CSS Cascading 5, 6.1).
 * Everything else is out of the page's reach.
 */
export const style = `
:host{all:initial!important;position:fixed!important;inset:auto 0 0 auto!important;width:0!important;height:0!important;z-index:2147483647!important;
direction:ltr!important;unicode-bidi:isolate!important;color-scheme:light dark!important;
--surface:${surfaces.light}!important;--raised:#f4f5f7!important;--text:#1b1f24!important;--quiet:#59626e!important;--line:#dfe3e8!important;
--edge:#858d98!important;--bad:#b42318!important;--shadow:0 12px 40px rgb(15 20 30/.18),0 2px 6px rgb(15 20 30/.08)!important}
@media(prefers-color-scheme:dark){:host{--surface:${surfaces.dark}!important;--raised:#282c33!important;--text:#eceef1!important;--quiet:#a8b0bb!important;
--line:#373d46!important;--edge:#7d8693!important;--bad:#ff9d93!important;--shadow:0 12px 40px rgb(0 0 0/.5),0 0 0 1px #373d46!important}}
@media print{:host{display:none!important}}
*{box-sizing:border-box}
[hidden]{display:none!important}
.all{font:400 15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;color:var(--text);text-align:start;-webkit-text-size-adjust:100%}
h2,p,fieldset,legend,form{margin:0;padding:0;border:0;min-width:0}
h2,p,label,legend,button,span,time{unicode-bidi:plaintext}
button,input,select,textarea{font:inherit;color:inherit;margin:0;-webkit-tap-highlight-color:transparent}
button{cursor:pointer;border:1px solid transparent;background:none;padding:0;touch-action:manipulation}
:focus{outline:none}
:focus-visible{outline:2px solid var(--ink);outline-offset:2px}
svg{display:block;width:20px;height:20px;flex:none;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.launcher{position:fixed;bottom:24px;right:24px;width:56px;height:56px;border-radius:50%;background:var(--accent);color:var(--on-accent);
display:grid;place-items:center;box-shadow:0 4px 14px rgb(15 20 30/.22);transition:transform .15s}
.launcher:hover{transform:translateY(-2px)}
.launcher svg{width:26px;height:26px}
.launcher:focus-visible{outline-offset:3px}
.badge{position:absolute;top:-4px;inset-inline-end:-4px;min-width:22px;height:22px;padding:0 6px;border-radius:11px;background:#c4281c;color:#fff;
border:2px solid var(--surface);font-size:12px;line-height:18px;font-weight:600;text-align:center}
.left .launcher{right:auto;left:24px}
.panel,.invitation,.notice{position:fixed;right:24px;background:var(--surface);border-radius:16px;box-shadow:var(--shadow);animation:rise .18s ease-out}
.left .panel,.left .invitation,.left .notice{right:auto;left:24px}
@keyframes rise{from{opacity:0;transform:translateY(8px)}}
.panel{bottom:24px;width:376px;max-height:min(640px,100vh - 48px);max-height:min(640px,100dvh - 48px);display:flex;flex-direction:column;overflow:hidden}
.with .panel{bottom:96px;max-height:min(640px,100vh - 120px);max-height:min(640px,100dvh - 120px)}
.head{display:flex;align-items:center;gap:12px;padding-block:16px 10px;padding-inline:20px 12px;flex:none}
.head h2{flex:1;font-size:17px;line-height:1.3;font-weight:600;overflow-wrap:anywhere}
.face{width:36px;height:36px;border-radius:50%;object-fit:cover;flex:none}
.sign{width:36px;height:36px;border-radius:8px;display:grid;place-items:center;color:var(--quiet);flex:none}
.sign:hover{background:var(--raised);color:var(--text)}
.view{overflow:auto;overscroll-behavior:contain;scroll-padding-bottom:124px;padding:4px 20px 20px;flex:1 1 auto}
.chat{display:flex;flex-direction:column;min-height:0;flex:1 1 480px}
.ways{display:flex;flex:none;border-top:1px solid var(--line)}
.way{flex:1;display:flex;align-items:center;justify-content:center;gap:8px;min-height:48px;padding:6px 8px;font-size:14px;color:var(--quiet)}
.way:hover{color:var(--text)}
.way:focus-visible{outline-offset:-4px;border-radius:10px}
.way[aria-current]{color:var(--ink);font-weight:600}
.way svg{width:18px;height:18px}
.send{position:sticky;bottom:-20px;margin:0 -20px -20px;padding:8px 20px 20px;background:var(--surface)}
.intro{margin-bottom:16px;color:var(--quiet);overflow-wrap:anywhere}
.field{margin-bottom:14px}
label,legend{display:block;margin-bottom:5px;font-size:14px;font-weight:500}
.optional{margin-inline-start:6px;font-weight:400;color:var(--quiet)}
input,select,textarea{display:block;width:100%;min-height:44px;padding:9px 12px;border:1px solid var(--edge);border-radius:10px;background:var(--surface);font-size:16px}
::placeholder{color:var(--quiet);opacity:1}
textarea{resize:none;min-height:96px;line-height:1.4}
select{padding-inline-end:8px}
input:focus-visible,select:focus-visible,textarea:focus-visible{outline-offset:-1px}
[aria-invalid]{border-color:var(--bad)}
.error{margin-top:5px;font-size:13.5px;color:var(--bad)}
.failed,.waits{margin-bottom:14px;padding:10px 12px;border-radius:10px;background:var(--raised)}
.failed{color:var(--bad)}
.main{width:100%;min-height:46px;padding:8px 16px;border-radius:10px;background:var(--accent);color:var(--on-accent);font-weight:600}
.main:hover{filter:brightness(1.06)}
.main[aria-disabled]{opacity:.65;cursor:default}
.choice{display:flex;flex-wrap:wrap;gap:8px}
.choice label{display:flex;align-items:center;gap:8px;min-height:44px;margin:0;padding:8px 14px 8px 12px;border:1px solid var(--edge);border-radius:10px;font-size:15px;font-weight:400;cursor:pointer}
.choice input{width:18px;height:18px;min-height:0;accent-color:var(--ink)}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:10px;margin-top:10px}
.pair .field{margin-bottom:0}
.hint{margin-top:8px;font-size:13px;color:var(--quiet)}
.captcha{display:grid;grid-template-columns:auto 1fr auto auto;gap:4px 6px;align-items:center}
.picture{width:120px;height:44px;border-radius:8px;background:#fff;object-fit:contain;border:1px solid var(--line)}
.captcha input{letter-spacing:.2em}
.sent{padding:24px 0 12px;text-align:center}
.sent svg{width:28px;height:28px}
.sent .mark{display:inline-grid;place-items:center;width:56px;height:56px;margin-bottom:14px;border-radius:50%;background:var(--accent);color:var(--on-accent)}
.sent p{color:var(--quiet)}
.sent .told{margin-bottom:6px;font-size:17px;font-weight:600;color:var(--text)}
.told:focus-visible{outline:none}
.invitation{bottom:96px;width:300px;padding:14px 16px 16px}
.invitation .row{display:flex;gap:10px;align-items:flex-start}
.invitation p{flex:1;margin:6px 0 12px;overflow-wrap:anywhere}
.notice{bottom:24px;display:flex;gap:8px;align-items:center;width:340px;max-width:calc(100vw - 32px);padding-block:12px;padding-inline:16px 8px}
.with .notice{bottom:96px}
.panel .notice{position:static;flex:none;width:auto;max-width:none;margin:0 20px 12px;background:var(--raised);box-shadow:none}
.notice svg{flex:none}
.notice>svg{color:var(--ink)}
.notice.bad>svg{color:var(--bad)}
.notice p{flex:1;overflow-wrap:anywhere}
@media(max-width:${narrow}px){
.launcher{bottom:16px;right:16px}
.left .launcher{left:16px}
.open .launcher{display:none}
.panel,.with .panel,.left .panel{inset:var(--top,0px) 0 auto 0;width:auto;height:var(--height,100vh);max-height:none;border-radius:0;box-shadow:none}
.invitation,.left .invitation,.notice,.with .notice,.left .notice{right:16px;left:16px;bottom:84px;width:auto}
.notice{bottom:16px}
}
@media(max-height:${low}px) and (min-width:${narrow + 1}px){
.open .launcher{display:none}
.panel,.with .panel{bottom:16px;max-height:calc(100vh - 32px)}
}
:host([data-moved]) *{animation:none!important}
@media(prefers-reduced-motion:reduce){*{animation:none!important;transition:none!important}}
@media(forced-colors:active){.panel,.launcher,.main,.invitation,.notice,.badge,.mark{border:1px solid}}
`;

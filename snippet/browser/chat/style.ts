export const style = `
.log{flex:1 1 auto;min-height:60px;overflow:auto;overscroll-behavior:contain;padding:4px 20px 12px;display:flex;flex-direction:column}
.log:focus-visible{outline-offset:-3px}
.log>:first-child{margin-top:auto}
.line{display:flex;flex-direction:column}
.greeting{align-self:flex-start}
.day{align-self:center;margin:14px 0 6px;font-size:12.5px;color:var(--quiet)}
.msg{max-width:85%;margin-top:8px;align-self:flex-start}
.msg p{padding:8px 12px;border-radius:14px;border-end-start-radius:4px;background:var(--raised);white-space:pre-wrap;overflow-wrap:anywhere}
.own{align-self:flex-end}
.own p{background:var(--accent);color:var(--on-accent);border-radius:14px;border-end-end-radius:4px}
.told{align-self:center;max-width:100%}
.told p{background:none;padding:4px 0;color:var(--quiet);font-size:14px;text-align:center}
.msg a{color:var(--ink)}
.own a{color:inherit}
.msg .photo{padding:0;background:none}
.photo canvas,.photo img{display:block;width:220px;max-width:100%;height:160px;object-fit:cover;border-radius:14px;background:var(--raised)}
.tray{display:flex;flex-wrap:wrap;gap:8px;max-height:140px;overflow:auto;padding:8px 12px;border-top:1px solid var(--line);flex:none}
.tray+.writing{border-top-color:transparent}
.tray[hidden]+.writing{border-top-color:var(--line)}
.staged{position:relative;max-width:100%;border-radius:10px;background:var(--raised)}
.staged p{padding:8px 44px 8px 12px;overflow-wrap:anywhere;font-size:14px}
.staged .photo{padding:0}
.staged .photo canvas{width:72px;height:72px;border-radius:10px}
.staged .sign{position:absolute;top:2px;inset-inline-end:2px;width:28px;height:28px;border-radius:50%;background:var(--surface);color:var(--text)}
.staged .sign svg{width:14px;height:14px}
.meta{display:flex;align-items:center;gap:6px;margin:3px 4px 0;font-size:12px;color:var(--quiet);font-variant-numeric:tabular-nums}
.meta .face{width:24px;height:24px;border-radius:50%;object-fit:cover;background:var(--raised)}
.own .meta{justify-content:flex-end}
.meta button{white-space:nowrap;min-height:24px;color:var(--bad);text-decoration:underline}
.more{align-self:center;min-height:32px;padding:4px 12px;margin:8px 0!important;border-radius:8px;font-size:14px;color:var(--ink)}
.state{min-height:20px;padding:0 20px;font-size:13px;color:var(--quiet);flex:none}
.bad{color:var(--bad)}
.state button{min-height:24px;color:var(--ink);text-decoration:underline}
.writing{display:flex;gap:4px;align-items:flex-end;padding:8px 12px 12px;border-top:1px solid var(--line);flex:none}
.writing textarea{flex:1;min-height:44px;height:44px;max-height:132px;border-color:transparent;padding:10px 12px}
.writing .sign{width:44px;height:44px}
.writing .go{color:var(--ink)}
[dir=rtl] .go svg{transform:scaleX(-1)}
.mailing{display:flex;gap:8px;padding:8px 20px;flex:none}
.mailing input{flex:1;min-width:0}
.mailing button{padding:0 14px;border-radius:10px;background:var(--accent);color:var(--on-accent);font-weight:600}
.rating{padding:8px 20px;flex:none;border-top:1px solid var(--line)}
.rating p{display:flex;align-items:center;flex-wrap:wrap;gap:8px;font-size:14px}
.rating p button{min-height:36px;padding:0 16px;border:1px solid var(--line);border-radius:18px}
.rating [aria-pressed=true]{background:var(--accent);color:var(--on-accent);border-color:transparent}
.rating .mailing{padding:8px 0 0}
@media(forced-colors:active){.msg:not(.told) p{border:1px solid}}
`;

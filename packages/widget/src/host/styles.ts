/**
 * The styles of launcher and panel, for their shadow root. They are a constructed style sheet, which a content security
 * policy of the page (`style-src`) does not restrict, because no markup is parsed.
 */
export const STYLES: string = `button,dialog{position:fixed;inset:auto var(--right) 20px var(--left);padding:0;border:2px solid #0000;box-shadow:0 2px 24px #0004;box-sizing:border-box}
button{display:flex;gap:8px;align-items:center;height:60px;max-width:calc(100% - 40px);padding:0 14px;border-radius:calc(var(--radius)*1.7);font:600 16px var(--font);background:var(--fill);color:var(--ink);cursor:pointer}
button:hover{scale:1.06}
button:focus-visible{outline:3px solid #fff;box-shadow:0 0 0 6px #000}
svg{flex:0 0 28px;fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}
svg:dir(rtl){scale:-1 1}
.unread:after{content:"";position:absolute;top:0;right:0;padding:6px;border:2px solid #fff;border-radius:50%;background:#d92d20}
dialog{bottom:92px;width:400px;height:min(700px,100dvh - 112px);max-width:none;max-height:none;margin:0;border:0;border-radius:var(--radius);display:block;overflow:hidden}
dialog:not([open]){visibility:hidden;opacity:0}
.full,iframe{inset:0;width:100%;height:100%;border:0;border-radius:0;display:block}
@media(prefers-reduced-motion:no-preference){*{transition:.2s}}
@media print{*{display:none}}`

/** The styles of the pages, light or dark like the reader's system. Colours keep 4.5:1 against their background. */
export const stylesheet = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --card: #f6f7f9; --line: #d5d9e0; --text: #1b2230; --soft: #4d5666; --link: #0b57d0;
  --sent: #1a6fd4; --unchanged: #98a3b5; --filtered: #c3a4dd; --rejected: #c4480c; --failed: #b3123a;
  --upload: #0e8a8a; --confirm: #5a4fcf;
  --good: #17692f; --bad: #a31134; --warn: #8a4b00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161d; --card: #1b212b; --line: #37404f; --text: #e6eaf1; --soft: #a9b3c3; --link: #8ab4f8;
    --sent: #5b9df0; --unchanged: #67748a; --filtered: #8d6bb0; --rejected: #f08a4b; --failed: #ff6b8a;
    --upload: #3fc1c1; --confirm: #a79cff;
    --good: #6fd08c; --bad: #ff8fa5; --warn: #f3b562;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
a { color: var(--link); }
a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible, [tabindex]:focus-visible {
  outline: 3px solid var(--link); outline-offset: 2px;
}
.skip { position: absolute; left: -99em; }
.skip:focus { left: 1em; top: .5em; background: var(--page); padding: .3em .6em; }
header { border-bottom: 1px solid var(--line); padding: .7rem 1.5rem; display: flex; gap: 1.5rem; flex-wrap: wrap; }
header b { font-size: 1.05rem; }
nav { display: flex; gap: 1rem; flex-wrap: wrap; }
nav [aria-current] { font-weight: 600; color: var(--text); text-decoration: none; }
main { padding: 1rem 1.5rem 3rem; max-width: 90rem; margin: 0 auto; }
footer { padding: 0 1.5rem 1.5rem; color: var(--soft); max-width: 90rem; margin: 0 auto; }
h1 { font-size: 1.4rem; margin: .4rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 1.8rem 0 .6rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; font-size: .87rem; }
td { overflow-wrap: anywhere; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.scroll { overflow-x: auto; }
code, pre { font: 13px/1.45 ui-monospace, monospace; background: var(--card); border-radius: 4px; }
code { padding: .05rem .3rem; overflow-wrap: anywhere; }
pre { padding: .7rem .9rem; white-space: pre-wrap; overflow-wrap: anywhere; margin: .4rem 0;
  border: 1px solid var(--line); }
.hidden { position: absolute; left: -99em; }
.soft { color: var(--soft); }
.state { font-weight: 600; white-space: nowrap; }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
.remarks { border-left: 4px solid var(--warn); background: var(--card); padding: .6rem 1rem; margin: 0 0 1rem;
  list-style: none; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.2rem; margin: .5rem 0; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; }
form.filter { display: flex; flex-wrap: wrap; gap: .8rem; align-items: end; background: var(--card);
  padding: .8rem 1rem;
  border: 1px solid var(--line); }
label { display: grid; gap: .15rem; font-size: .87rem; color: var(--soft); }
input, select, button { font: inherit; padding: .3rem .5rem; color: var(--text); background: var(--page);
  border: 1px solid var(--soft); border-radius: 4px; }
label.check { display: flex; gap: .4rem; align-items: center; }
svg { display: block; }
svg .sent { fill: var(--sent); } svg .unchanged { fill: var(--unchanged); } svg .filtered { fill: var(--filtered); }
svg .rejected { fill: var(--rejected); } svg .failed { fill: var(--failed); } svg .wait { fill: var(--warn); }
svg .upload { fill: var(--upload); } svg .confirm { fill: var(--confirm); }
svg .axis { stroke: var(--line); } svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }
.key { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; list-style: none; padding: 0; margin: .4rem 0;
  font-size: .9rem; }
.key svg { display: inline-block; vertical-align: -1px; margin-right: .35rem; }
`;

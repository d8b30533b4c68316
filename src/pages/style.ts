import { css } from './html.js'

/** The console's colours, light and dark. A browser without `light-dark()` uses its own default colours. */
export const TOKENS = css`
  :root {
    color-scheme: light dark;
    --canvas: light-dark(oklch(0.984 0.003 95), oklch(0.172 0.008 262));
    --sunken: light-dark(oklch(0.964 0.004 95), oklch(0.148 0.008 262));
    --surface: light-dark(oklch(1 0 0), oklch(0.206 0.009 262));
    --line: light-dark(oklch(0.915 0.005 95), oklch(0.282 0.01 262));
    --line-edge: light-dark(oklch(0.63 0.01 262), oklch(0.54 0.014 262));
    --ink-1: light-dark(oklch(0.235 0.014 262), oklch(0.945 0.01 262));
    --ink-2: light-dark(oklch(0.42 0.014 262), oklch(0.78 0.01 262));
    --ink-3: light-dark(oklch(0.52 0.014 262), oklch(0.665 0.01 262));
    --accent: light-dark(oklch(0.435 0.128 258), oklch(0.77 0.105 252));
    --on-accent: light-dark(oklch(1 0 0), oklch(0.172 0.008 262));
    --deny: light-dark(oklch(0.5 0.158 27), oklch(0.775 0.118 27));
    --deny-wash: light-dark(oklch(0.97 0.014 27), oklch(0.258 0.04 24));
    --focus: light-dark(oklch(0.52 0.17 258), oklch(0.8 0.11 252));
    --sans: Inter, system-ui, sans-serif;
    --mono: ui-monospace, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace;
  }
  body {
    background: var(--canvas);
    color: var(--ink-1);
  }
  a {
    color: var(--accent);
  }
  :focus-visible {
    outline: 2px solid var(--focus);
    outline-offset: 2px;
  }
`

/** The style of visitors' pages: one column, from 320 pixels wide, with click targets of at least 44 pixels. */
export const STYLE = css`
  ${TOKENS}
  * {
    box-sizing: border-box;
  }
  body {
    font: 1rem/1.5 var(--sans);
    margin: 0;
    padding: clamp(2rem, 14vh, 8rem) 1rem 2rem;
    overflow-wrap: anywhere;
  }
  main,
  footer {
    max-width: 24rem;
    margin: 0 auto;
  }
  .mark {
    display: block;
    width: 2rem;
    height: 2.25rem;
    margin-bottom: 1.25rem;
    fill: none;
    stroke: var(--accent);
    stroke-width: 3;
  }
  .ended .mark {
    stroke: var(--ink-3);
  }
  h1 {
    font-size: 1.375rem;
    line-height: 1.3;
    font-weight: 600;
    letter-spacing: -0.01em;
    margin: 0 0 0.25rem;
    text-wrap: balance;
  }
  p,
  .links {
    color: var(--ink-2);
    margin: 0 0 1rem;
  }
  strong {
    font-weight: 600;
    color: var(--ink-1);
  }
  .links {
    list-style: none;
    padding: 0;
  }
  .links a {
    display: inline-flex;
    align-items: center;
    min-height: 2.75rem;
  }
  .field {
    margin: 0 0 1rem;
  }
  .label,
  label {
    display: block;
    font-size: 0.875rem;
    font-weight: 500;
    color: var(--ink-2);
    margin-bottom: 0.375rem;
  }
  input,
  .shown,
  .main {
    display: block;
    width: 100%;
    min-height: 2.75rem;
    padding: 0.5rem 0.75rem;
    border-radius: 6px;
    font: inherit;
  }
  input {
    background: var(--surface);
    color: var(--ink-1);
    border: 1px solid var(--line-edge);
  }
  [hidden] {
    display: none;
  }
  .choice {
    display: flex;
    align-items: center;
    gap: 0.625rem;
  }
  .choice input {
    width: 1.5rem;
    min-height: 1.5rem;
    flex: none;
    accent-color: var(--accent);
  }
  .choice label {
    margin: 0;
  }
  [aria-invalid] {
    border-color: var(--deny);
  }
  .hint,
  footer {
    font-size: 0.8125rem;
    line-height: 1.45;
    color: var(--ink-3);
  }
  .hint {
    margin: 0.375rem 0 0;
  }
  .fault {
    font-size: 0.875rem;
    margin: 0 0 0.5rem;
    padding: 0.5rem 0.75rem;
    background: var(--deny-wash);
    color: var(--deny);
    border-left: 3px solid var(--deny);
    border-radius: 4px;
    font-weight: 500;
  }
  .shown {
    margin: 0;
    background: var(--sunken);
    border: 1px solid var(--line);
    color: var(--ink-2);
    font: 0.875rem/1.6 var(--mono);
  }
  .main {
    border: 1px solid transparent;
    background: var(--accent);
    color: var(--on-accent);
    font-weight: 500;
    line-height: 1.625rem;
    text-align: center;
    text-decoration: none;
    cursor: pointer;
  }
  .main:hover {
    filter: brightness(1.1);
  }
  footer {
    margin-top: 1.5rem;
    padding-top: 0.75rem;
    border-top: 1px solid var(--line);
    font-variant-numeric: tabular-nums;
  }
`

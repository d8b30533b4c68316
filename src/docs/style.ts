import { TOKENS, css } from '../pages/pages.js'
import { ARTICLES } from './style-articles.js'
import { CONTROLS } from './style-controls.js'

// On the narrowest screens the top is two lines high: sticky, it would cover the heading that a link leads to.
const FRAME = css`
  * {
    box-sizing: border-box;
  }
  :root {
    --raised: light-dark(oklch(1 0 0), oklch(0.246 0.01 262));
    --hover: light-dark(oklch(0.972 0.004 95), oklch(0.232 0.01 262));
    --line-firm: light-dark(oklch(0.845 0.007 95), oklch(0.365 0.012 262));
    --accent-wash: light-dark(oklch(0.962 0.016 258), oklch(0.262 0.036 258));
    --edge: clamp(1rem, 2.5vw, 2rem);
    scroll-padding-top: 4.5rem;
  }
  body {
    font: 0.9375rem/1.6 var(--sans);
    margin: 0;
    overflow-wrap: break-word;
  }
  [hidden] {
    display: none !important;
  }
  .skip {
    position: absolute;
    left: -100rem;
  }
  .skip:focus {
    left: 0.5rem;
    top: 0.5rem;
    z-index: 3;
    padding: 0.75rem 1rem;
    background: var(--raised);
  }
  .top {
    position: sticky;
    top: 0;
    z-index: 2;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 0 1.5rem;
    min-height: 3.5rem;
    padding: 0 var(--edge);
    background: var(--canvas);
    border-bottom: 1px solid var(--line);
  }
  @media (width < 24rem) {
    .top {
      position: static;
    }
  }
  .top a {
    display: inline-flex;
    align-items: center;
    min-height: 2.75rem;
    text-decoration: none;
    color: var(--ink-2);
  }
  .top nav {
    display: flex;
    gap: 1.25rem;
  }
  .top .current {
    color: var(--ink-1);
    font-weight: 600;
    box-shadow: inset 0 -2px var(--accent);
  }
  .top .home {
    color: var(--ink-1);
    font-weight: 600;
    gap: 0.5rem;
  }
  .mark {
    width: 1.125rem;
    height: 1.25rem;
    fill: none;
    stroke: var(--accent);
    stroke-width: 3;
  }
  main {
    min-width: 0;
    padding: 1.5rem var(--edge) 6rem;
  }
  main:focus {
    outline: none;
  }
  .contents {
    padding: 0 var(--edge);
    background: var(--sunken);
    border-bottom: 1px solid var(--line);
    font-size: 0.875rem;
    line-height: 1.4;
  }
  .contents summary {
    min-height: 2.75rem;
    padding: 0.75rem 0;
    cursor: pointer;
    font-weight: 500;
  }
  .contents h2 {
    margin: 1.25rem 0 0.25rem;
    font-size: 0.8125rem;
    font-weight: 600;
    color: var(--ink-3);
  }
  .contents h2 a {
    color: inherit;
    text-decoration: none;
  }
  .contents ul {
    list-style: none;
    margin: 0 0 0.5rem;
    padding: 0;
  }
  .contents li a {
    display: flex;
    align-items: baseline;
    gap: 0.5rem;
    min-height: 2.75rem;
    padding: 0.6875rem 0.5rem;
    margin: 0 -0.5rem;
    border-radius: 6px;
    color: var(--ink-2);
    text-decoration: none;
  }
  .contents li a:hover {
    background: var(--hover);
    color: var(--ink-1);
  }
  .contents [aria-current] {
    background: var(--accent-wash);
    color: var(--accent) !important;
    font-weight: 500;
  }
  .contents .method {
    flex: none;
    width: 3rem;
    font: 600 0.6875rem/1.4 var(--mono);
    color: var(--ink-3);
  }
  @media (width >= 64rem) {
    .page {
      display: grid;
      grid-template-columns: 17rem minmax(0, 1fr);
    }
    .contents {
      position: sticky;
      top: 3.5rem;
      height: calc(100vh - 3.5rem);
      overflow-y: auto;
      padding: 1rem 1.25rem 2rem;
      border-bottom: 0;
      border-right: 1px solid var(--line);
    }
    .contents li a {
      min-height: 0;
      padding: 0.25rem 0.5rem;
    }
    main {
      max-width: 78rem;
      padding-top: 2rem;
    }
    @supports selector(::details-content) {
      .contents > details > summary {
        display: none;
      }
      .contents > details::details-content {
        content-visibility: visible;
        block-size: auto;
      }
    }
  }
`

const PRINT = css`
  @media print {
    :root {
      color-scheme: light;
      font-size: 11px;
    }
    body {
      background: none;
    }
    .top,
    .contents,
    .on-page,
    .skip,
    .copy,
    .anchor,
    .scripted {
      display: none !important;
    }
    main {
      padding: 0;
    }
    .page,
    .guide,
    .operation {
      display: block !important;
    }
    pre {
      white-space: pre-wrap;
      orphans: 4;
      widows: 4;
    }
    .intro details::details-content {
      content-visibility: visible;
      block-size: auto;
    }
    h1,
    h2,
    h3,
    h4,
    .route,
    caption,
    thead {
      break-after: avoid-page;
    }
    tr,
    li {
      break-inside: avoid-page;
    }
  }
`

/** The style of the site: tokens, frame, articles, controls, and print. */
export const STYLE = css`
  ${TOKENS}${FRAME}${ARTICLES}${CONTROLS}${PRINT}
`

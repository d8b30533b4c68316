import { css } from '../pages/pages.js'

/** Styles of headings, text, tables, code, and the parts of an operation. */
export const ARTICLES = css`
  h1 {
    margin: 0 0 1rem;
    font-size: 1.75rem;
    line-height: 1.25;
    font-weight: 600;
    letter-spacing: -0.015em;
    text-wrap: balance;
  }
  main h2 {
    margin: 2.5rem 0 0.75rem;
    padding-top: 1.25rem;
    border-top: 1px solid var(--line);
    font-size: 1.3125rem;
    line-height: 1.3;
    font-weight: 600;
    letter-spacing: -0.01em;
  }
  .text h2,
  .readers h2 {
    margin-top: 2.25rem;
    padding: 0;
    border: 0;
  }
  main h3 {
    margin: 2rem 0 0.5rem;
    font-size: 1.0625rem;
    line-height: 1.4;
    font-weight: 600;
  }
  main h4 {
    margin: 1.5rem 0 0.5rem;
    font-size: 0.875rem;
    font-weight: 600;
  }
  p,
  ul,
  ol {
    margin: 0 0 0.875rem;
  }
  .text,
  .intro,
  .readers {
    max-width: 46rem;
  }
  .anchor {
    color: var(--ink-3);
    font-weight: 400;
    text-decoration: none;
    padding: 0 0.25rem;
    opacity: 0;
  }
  :hover > .anchor,
  .anchor:focus {
    opacity: 1;
  }
  code,
  pre {
    font: 0.875em/1.55 var(--mono);
    font-feature-settings: 'zero';
  }
  :not(pre) > code {
    padding: 0.1em 0.3em;
    background: var(--sunken);
    border-radius: 4px;
    overflow-wrap: anywhere;
  }
  a > code {
    color: inherit;
  }
  .code {
    position: relative;
    margin: 0 0 1rem;
  }
  pre {
    margin: 0;
    padding: 0.75rem 1rem;
    overflow-x: auto;
    background: var(--sunken);
    border: 1px solid var(--line);
    border-radius: 6px;
    color: var(--ink-1);
    font-size: 0.8125rem;
    tab-size: 2;
  }
  pre code {
    font: inherit;
  }
  .comment {
    color: var(--ink-3);
  }
  @media (width >= 40rem) {
    .scroll td:first-child code {
      overflow-wrap: normal;
    }
  }
  .scroll {
    overflow-x: auto;
    margin: 0 0 1rem;
  }
  img {
    max-width: 100%;
    height: auto;
    border-radius: 6px;
  }
  table {
    border-collapse: collapse;
    font-size: 0.875rem;
    line-height: 1.5;
    font-variant-numeric: tabular-nums;
  }
  th,
  td {
    padding: 0.5rem 1rem 0.5rem 0;
    text-align: left;
    vertical-align: top;
    border-bottom: 1px solid var(--line);
  }
  .text td {
    min-width: 6rem;
  }
  thead th {
    color: var(--ink-3);
    font-size: 0.8125rem;
    font-weight: 500;
  }
  .aside {
    color: var(--ink-3);
    font-size: 0.8125rem;
    font-weight: 400;
  }
  .on-page {
    max-width: 46rem;
    margin: 0 0 1.5rem;
    padding: 0 1rem;
    border: 1px solid var(--line);
    border-radius: 6px;
    font-size: 0.875rem;
  }
  .on-page summary {
    min-height: 2.75rem;
    padding: 0.625rem 0;
    cursor: pointer;
  }
  .on-page ul {
    list-style: none;
    padding: 0;
    margin: 0 0 0.5rem;
  }
  .on-page li {
    padding: 0.25rem 0;
    break-inside: avoid;
  }
  .on-page a {
    display: inline-block;
    min-height: 1.5rem;
  }
  .deeper {
    padding-left: 1rem !important;
  }
  .readers li {
    margin: 0 0 0.375rem;
  }
  .readers li span {
    display: block;
    color: var(--ink-2);
  }
  .operation {
    padding: 2rem 0;
    border-bottom: 1px solid var(--line);
  }
  .operation > header {
    margin: 0 0 1rem;
  }
  .operation h3 {
    margin: 0 0 0.25rem;
    text-wrap: balance;
    font-size: 1.125rem;
  }
  .operation:target h3 {
    color: var(--accent);
  }
  .route {
    margin: 0;
    overflow-wrap: anywhere;
  }
  .route code {
    padding: 0;
    background: none;
    font-size: 0.875rem;
  }
  .route .method {
    margin-right: 0.25rem;
    font: 600 0.8125rem var(--mono);
  }
  .told > h4:first-child,
  .shown > h4:first-child {
    margin-top: 0;
  }
  .layers {
    display: grid;
    gap: 1px;
    margin: 0 0 1.25rem;
    padding: 0;
    list-style: none;
    border: 1px solid var(--line);
    border-radius: 6px;
    overflow: hidden;
    background: var(--line);
    font-size: 0.8125rem;
    line-height: 1.5;
  }
  .layers li {
    display: grid;
    grid-template-columns: 5rem 1fr;
    gap: 0.75rem;
    padding: 0.375rem 0.75rem;
    background: var(--surface);
  }
  .layers b {
    font-weight: 500;
    color: var(--ink-3);
  }
  .fields {
    width: 100%;
    table-layout: fixed;
    margin: 0 0 1rem;
  }
  .fields caption {
    padding: 0.25rem 0;
    text-align: left;
    color: var(--ink-3);
    font-size: 0.8125rem;
  }
  .fields thead th:nth-child(1) {
    width: 30%;
  }
  .fields thead th:nth-child(2) {
    width: 28%;
  }
  .fields th[scope='row'] {
    font-weight: 400;
  }
  .fields th code {
    padding: 0;
    background: none;
    color: var(--ink-1);
    font-weight: 500;
  }
  .within {
    color: var(--ink-3);
    font-weight: 400;
  }
  .required {
    color: var(--deny);
    font-size: 0.75rem;
  }
  .type {
    color: var(--ink-2);
  }
  .bound,
  .values {
    display: block;
    color: var(--ink-3);
    font-size: 0.8125rem;
    overflow-wrap: anywhere;
  }
  .bound code,
  .values code {
    color: var(--ink-2);
  }
  .fields p:last-child {
    margin: 0;
  }
  .variant td {
    color: var(--ink-2);
    font-weight: 500;
    background: var(--sunken);
    padding-left: 0.5rem;
  }
  .answer-of {
    margin: 0 0 0.75rem;
  }
  .answer-of p {
    margin: 0 0 0.25rem;
  }
  .refusals td:nth-child(-n + 2) {
    white-space: nowrap;
  }
  .told,
  .intro > section {
    container-type: inline-size;
  }
  @media (width >= 76rem) {
    .operation {
      display: grid;
      grid-template-columns: minmax(0, 1fr) minmax(20rem, 24rem);
      gap: 0 2.5rem;
    }
    .shown {
      position: sticky;
      top: 4.5rem;
      align-self: start;
      max-height: calc(100vh - 5.5rem);
      overflow-y: auto;
    }
    .operation > header {
      grid-column: 1 / -1;
    }
  }
  @container (width < 40rem) {
    .fields,
    .fields tbody,
    .fields caption {
      display: block;
    }
    .fields thead {
      position: absolute;
      clip-path: inset(50%);
    }
    .fields tr {
      display: grid;
      grid-template-columns: minmax(0, 2fr) minmax(0, 3fr);
      gap: 0.125rem 1rem;
      padding: 0.5rem 0;
      border-bottom: 1px solid var(--line);
    }
    .fields tr:first-child {
      border-top: 1px solid var(--line);
    }
    .fields th,
    .fields td {
      border: 0;
      padding: 0;
    }
    .fields td:last-child {
      grid-column: 1 / -1;
    }
    .fields td:last-child:empty {
      display: none;
    }
  }
  @media (width < 40rem) {
    .layers li {
      grid-template-columns: 4.25rem 1fr;
    }
  }
  @media (width >= 80rem) {
    @supports selector(::details-content) {
      .guide {
        display: grid;
        grid-template-columns: minmax(0, 46rem) minmax(10rem, 14rem);
        gap: 0 2.5rem;
      }
      .on-page {
        grid-column: 2;
        align-self: start;
        position: sticky;
        top: 5.5rem;
        max-height: calc(100vh - 7rem);
        overflow-y: auto;
        padding: 0 0 0 1rem;
        border: 0;
        border-left: 1px solid var(--line);
        border-radius: 0;
      }
      .on-page a {
        text-decoration: none;
        color: var(--ink-2);
      }
      .on-page a:hover {
        color: var(--ink-1);
        text-decoration: underline;
      }
      .on-page > details > summary {
        display: none;
      }
      .on-page > details::details-content {
        content-visibility: visible;
        block-size: auto;
      }
      .text {
        grid-column: 1;
        grid-row: 1;
      }
    }
  }
`

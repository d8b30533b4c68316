import { css } from '../pages/pages.js'

/** Styles of buttons and fields. */
export const CONTROLS = css`
  button {
    min-height: 2.75rem;
    padding: 0.25rem 0.875rem;
    background: var(--surface);
    color: var(--ink-1);
    border: 1px solid var(--line-firm);
    border-radius: 6px;
    font: 500 0.875rem var(--sans);
    cursor: pointer;
  }
  button:hover {
    background: var(--hover);
  }
  button.main {
    background: var(--accent);
    color: var(--on-accent);
    border-color: transparent;
  }
  button.main:hover {
    filter: brightness(1.1);
  }
  .copy {
    position: absolute;
    top: 0.375rem;
    right: 0.375rem;
    min-height: 1.75rem;
    padding: 0 0.5rem;
    font-size: 0.75rem;
    color: var(--ink-2);
    opacity: 0;
  }
  .code:hover .copy,
  .code:focus-within .copy {
    opacity: 1;
  }
  label {
    display: block;
    margin: 0 0 0.75rem;
    font-size: 0.8125rem;
  }
  label > span {
    display: block;
    margin: 0 0 0.25rem;
  }
  input,
  select,
  textarea {
    display: block;
    width: 100%;
    min-height: 2.75rem;
    padding: 0.375rem 0.625rem;
    background: var(--surface);
    color: var(--ink-1);
    border: 1px solid var(--line-edge);
    border-radius: 6px;
    font: 0.875rem/1.5 var(--sans);
  }
  textarea {
    font-family: var(--mono);
    font-size: 0.8125rem;
    resize: vertical;
  }
  search label {
    margin: 0 0 0.25rem;
    color: var(--ink-2);
    font-weight: 500;
  }
  #found {
    min-height: 1.25rem;
    margin: 0.25rem 0 0.5rem;
    color: var(--ink-3);
    font-size: 0.8125rem;
  }
  .part {
    margin: 0 0 0.5rem;
    border: 1px solid var(--line);
    border-radius: 6px;
    background: var(--surface);
  }
  .part > summary {
    min-height: 2.75rem;
    padding: 0.625rem 0.75rem;
    font-size: 0.875rem;
    font-weight: 500;
    cursor: pointer;
    overflow-wrap: anywhere;
  }
  .part > summary:hover {
    background: var(--hover);
  }
  .part > :not(summary) {
    margin: 0;
    padding: 0 0.75rem 0.75rem;
  }
  .part > table.fields {
    display: block;
  }
  .card {
    padding: 1rem;
    margin: 1rem 0;
    background: var(--surface);
    border: 1px solid var(--line);
    border-radius: 10px;
  }
  .card h3 {
    margin: 0 0 0.25rem;
  }
  .card > p:last-child {
    margin: 0;
  }
  .forms {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr));
    gap: 1rem 1.5rem;
    margin: 0 0 0.75rem;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 0.75rem;
    margin: 0;
  }
  .answer {
    margin-top: 0.75rem;
  }
  .answer .status {
    margin: 0 0 0.5rem;
    font-weight: 600;
  }
  .answer pre {
    max-height: 24rem;
    overflow: auto;
    margin: 0 0 0.5rem;
  }
  .answer pre:empty {
    display: none;
  }
  @media (pointer: fine) and (width >= 40rem) {
    button,
    input,
    select {
      min-height: 2.25rem;
    }
    .part > summary {
      min-height: 2.25rem;
      padding-block: 0.4375rem;
    }
  }
  @media (pointer: coarse), (width < 40rem) {
    .copy {
      position: static;
      min-height: 2.75rem;
      margin-top: 0.375rem;
      padding: 0 0.875rem;
      opacity: 1;
    }
  }
`

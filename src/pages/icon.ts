import { html } from './html.js'

const SHAPE = html`<path d="M3 31V13a11 11 0 0 1 22 0v18M10.5 31V8M17.5 31V8M3 24h22" />`

/** The mark on every page: four bars under an arch. It is decoration only. */
export const MARK = html`<svg class="mark" viewBox="0 0 28 32" aria-hidden="true">${SHAPE}</svg>`

/** The mark as a separate file. */
export const FAVICON_SVG = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 0 32 32">
  <style>
    path {
      fill: none;
      stroke: #1c4d93;
      stroke-width: 3;
    }
    @media (prefers-color-scheme: dark) {
      path {
        stroke: #83b4f5;
      }
    }
  </style>
  ${SHAPE}
</svg> `.text

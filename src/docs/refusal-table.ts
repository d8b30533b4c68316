import { counted } from '../domain/counted.js'
import { html, type Html } from '../pages/pages.js'
import type { ApiOperation, ApiResponse } from './api-document.js'
import { inline, withoutMarks } from './prose.js'

const rowsOf = ({ status, description, 'x-problems': problems }: ApiResponse): readonly Html[] =>
  problems === undefined
    ? [
        html`<tr>
          <td>${status}</td>
          <td></td>
          <td colspan="2">${inline(description)}</td>
        </tr>`,
      ]
    : problems.map(
        ({ code, layer, title }) =>
          html`<tr>
            <td>${status}</td>
            <td>${layer}</td>
            <td><code>${code}</code></td>
            <td>${title}</td>
          </tr>`,
      )

const tableOf = (rows: readonly Html[], name: string): Html =>
  html`<div class="scroll" tabindex="0" role="group" aria-label="${name}">
    <table class="refusals">
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Layer</th>
          <th scope="col">Code</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`

/** Headers that only refusals have, with their statuses. */
const refusalHeaders = ({ responses }: ApiOperation): readonly (readonly [name: string, statuses: string])[] => {
  const isRefusal = ({ status }: ApiResponse) => status >= 400
  const known = new Set(responses.flatMap((answer) => (isRefusal(answer) ? [] : Object.keys(answer.headers ?? {}))))
  const names = new Set(responses.filter(isRefusal).flatMap(({ headers = {} }) => Object.keys(headers)))
  return [...names]
    .filter((name) => !known.has(name))
    .map((name) => [
      name,
      responses
        .filter((answer) => isRefusal(answer) && name in (answer.headers ?? {}))
        .map(({ status }) => status)
        .join(', '),
    ])
}

/** Every refusal of an operation: status, layer, code and title. */
export const refusalTable = (operation: ApiOperation): Html | null => {
  const { summary, responses } = operation
  const headers = refusalHeaders(operation)
  const refusals = responses.filter(({ status }) => status >= 400)
  const rows = refusals.flatMap(rowsOf)
  if (rows.length === 0) return null
  return html`<details class="part">
    <summary>${counted(rows.length, 'refusal')} <span class="aside">status, layer and code</span></summary>
    ${tableOf(rows, `Refusals of “${withoutMarks(summary)}”`)}
    ${
      headers.length === 0
        ? null
        : html`<p class="aside">
            Headers:
            ${headers.map(([name, statuses], i) => html`${i === 0 ? '' : ', '}<code>${name}</code> (${statuses})`)}
          </p>`
    }
  </details>`
}

/** All refusals of any operation, once each, by status. */
export const allRefusals = (operations: readonly ApiOperation[]): Html => {
  const known = new Map<string, ApiResponse>()
  for (const { responses } of operations)
    for (const { 'x-problems': problems = [], ...response } of responses)
      for (const problem of problems) known.set(problem.code, { ...response, 'x-problems': [problem] })
  const rows = [...known.values()].sort((a, b) => a.status - b.status).flatMap(rowsOf)
  return html`<details class="part">
    <summary>All ${counted(rows.length, 'refusal')} <span class="aside">status, layer and code</span></summary>
    ${tableOf(rows, 'All refusals')}
  </details>`
}

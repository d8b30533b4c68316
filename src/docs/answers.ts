import { html, type Html } from '../pages/pages.js'
import type { ApiOperation, ApiResponse } from './api-document.js'
import { codeBlock } from './code-block.js'
import { givenExample } from './examples.js'
import { bodyTable, headerTable } from './field-table.js'
import { fieldsOf } from './fields.js'
import { inline } from './prose.js'

/** All problems have the same fields, which the page describes once, at the top. */
const PROBLEM_TYPES: ReadonlySet<string> = new Set(['application/problem+json', 'text/html'])

const detailsOf = (answer: ApiResponse): readonly Html[] => {
  // refusals list their own headers
  const headers = answer.status >= 400 ? null : headerTable(answer.headers ?? {})
  const bodies = Object.entries(answer.content ?? {}).flatMap(([type, { schema }]) => {
    if (answer.status >= 400 && PROBLEM_TYPES.has(type)) return []
    const fields = fieldsOf(schema).length
    const table = bodyTable(`Fields of ${type}`, schema, 'answer')
    if (table === null) return []
    return [
      html`<details class="part">
        <summary>Fields <span class="aside">${fields}, ${type}</span></summary>
        ${table}
      </details>`,
    ]
  })
  return headers === null
    ? bodies
    : [
        html`<details class="part">
          <summary>Headers <span class="aside">${Object.keys(answer.headers ?? {}).join(', ')}</span></summary>
          ${headers}
        </details>`,
        ...bodies,
      ]
}

/** The successful responses, and refusals with their own body. */
export const answerList = ({ responses }: ApiOperation): readonly Html[] =>
  responses.flatMap((answer) => {
    const details = detailsOf(answer)
    if (answer.status >= 400 && details.length === 0) return []
    const types = Object.keys(answer.content ?? {})
    return [
      html`<div class="answer-of">
        <p><b class="status">${answer.status}</b> ${inline(answer.description)}</p>
        ${types.length === 0 ? null : html`<p class="aside">${types.join(', ')}</p>`} ${details}
      </div>`,
    ]
  })

/** The document's example of a response, if it gives one. */
export const answerExample = ({ responses }: ApiOperation): Html | null => {
  for (const { status, content = {} } of responses)
    for (const media of Object.values(content)) {
      const example = givenExample(media)
      if (status < 400 && example !== undefined)
        return html`<h4>Response <span class="aside">${status}</span></h4>
          ${codeBlock(typeof example === 'string' ? example : JSON.stringify(example, null, 2), 'json', 'Response')}`
    }
  return null
}

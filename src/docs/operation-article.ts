import { html, type Html } from '../pages/pages.js'
import type { ApiOperation } from './api-document.js'
import { answerExample, answerList } from './answers.js'
import { codeBlock } from './code-block.js'
import { clientCallOf } from './client-call.js'
import { curlOf } from './curl-call.js'
import { exampleRequest } from './examples.js'
import { bodyTable, parameterTables } from './field-table.js'
import { fieldsOf } from './fields.js'
import { layerList } from './layer-list.js'
import { inline, prose, withoutMarks } from './prose.js'
import { refusalTable } from './refusal-table.js'
import { sendForm } from './send-form.js'

/** The text that the search covers. */
const wordsOf = (operation: ApiOperation): string => {
  const { operationId, method, path, summary, description = '', tags, parameters, requestBody } = operation
  const fields = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
    fieldsOf(schema).map(({ name }) => name),
  )
  return [
    ...new Set([
      operationId,
      method,
      path,
      summary,
      description,
      ...tags,
      ...parameters.map(({ name }) => name),
      ...fields,
    ]),
  ].join(' ')
}

/** The description, without a first paragraph that only repeats the summary. */
const described = ({ summary, description = '' }: ApiOperation): readonly Html[] =>
  prose(description.startsWith(`${summary}.\n`) ? description.slice(summary.length + 1) : description)

const bodyOf = ({ requestBody }: ApiOperation): Html | null => {
  const content = Object.entries(requestBody?.content ?? {})
  const [first] = content
  if (first === undefined) return null
  // the media types of a body differ in format, not in content
  const types = content.map(([type]) => type).join(' or ')
  return html`<h4>Body <span class="aside">${types}</span></h4>
    ${bodyTable('Fields of the body', first[1].schema, 'request')}`
}

/** The article about one operation. */
export const operationArticle = (operation: ApiOperation, baseUrl: string): Html => {
  const { operationId, method, path, summary } = operation
  const name = withoutMarks(summary)
  const request = exampleRequest(operation)
  const call = clientCallOf(operation, request)
  const parameters = parameterTables(operation)
  return html`<article class="operation" id="${operationId}" data-words="${wordsOf(operation)}">
    <header>
      <h3>${inline(summary)} <a class="anchor" href="#${operationId}" aria-label="Link to “${name}”">#</a></h3>
      <p class="route"><b class="method">${method}</b> <code>${path}</code></p>
    </header>
    <div class="told">
      ${described(operation)} ${layerList(operation)} ${parameters.length === 0 ? null : html`<h4>Parameters</h4>`}
      ${parameters} ${bodyOf(operation)}
      <h4>Responses</h4>
      ${answerList(operation)} ${refusalTable(operation)}
    </div>
    <div class="shown">
      <h4>curl</h4>
      ${codeBlock(curlOf(operation, request, baseUrl), 'sh', `curl: ${name}`)}
      ${
        call === null
          ? null
          : html`<h4>Client</h4>
              ${codeBlock(call, 'js', `Client: ${name}`)}`
      }
      ${answerExample(operation)} ${sendForm(operation)}
    </div>
  </article>`
}

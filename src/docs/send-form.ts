import { MEDIA_TYPES } from '../input/input.js'
import { html, type Html } from '../pages/pages.js'
import { successTypes, type ApiOperation, type Parameter, type SchemaJson } from './api-document.js'
import { exampleOf, exampleRequest } from './examples.js'
import { withoutMarks } from './prose.js'
import { valuesOf } from './type-words.js'

interface Control {
  readonly name: string
  readonly place: string
  readonly isRequired: boolean
  readonly schema: SchemaJson
  /** what the example request sends; empty: nothing */
  readonly preset: string
}

const isSecret = (name: string): boolean => /password|token|secret/.test(name)

const controlOf = ({ name, place, isRequired, schema, preset }: Control): Html => {
  const required = isRequired ? html` required` : null
  const isList = schema.type === 'array'
  const values = schema.type === 'boolean' ? ['true', 'false'] : isList ? [] : valuesOf(schema)
  const field =
    values.length > 0
      ? html`<select name="${name}" data-in="${place}" ${required}>
          ${isRequired ? null : html`<option value=""></option>`}
          ${values.map((value) => html`<option ${value === preset ? html` selected` : null}>${value}</option>`)}
        </select>`
      : html`<input
          name="${name}"
          data-in="${place}"
          type="${isSecret(name) ? 'password' : 'text'}"
          value="${preset}"
          autocomplete="off"
          spellcheck="false"
          ${required}
        />`
  return html`<label>
    <span>
      <code>${name}</code>${isRequired ? html` <span class="required">required</span>` : null}
      ${isList ? html`<span class="aside">with commas between</span>` : null}
    </span>
    ${field}
  </label>`
}

const parameterControl = (parameter: Parameter): Html =>
  controlOf({
    name: parameter.name,
    place: parameter.in,
    isRequired: parameter.required,
    schema: parameter.schema,
    preset: parameter.example === undefined ? '' : String(parameter.example),
  })

const bodyControls = (operation: ApiOperation): readonly Html[] => {
  const content = operation.requestBody?.content ?? {}
  const { form } = exampleRequest(operation)
  const json = content[MEDIA_TYPES.json]
  if (json !== undefined && form === null)
    return [
      html`<label>
        <span>Body <span class="aside">${MEDIA_TYPES.json}</span></span>
        <textarea name="body" data-in="json" rows="8" spellcheck="false" autocomplete="off">
${JSON.stringify(exampleOf(json), null, 2)}</textarea>
      </label>`,
    ]
  const { properties = {}, required = [] } = content[MEDIA_TYPES.form]?.schema ?? {}
  return Object.entries(properties).map(([name, each]) =>
    controlOf({ name, place: 'form', isRequired: required.includes(name), schema: each, preset: '' }),
  )
}

/** Whether JSON or a page comes, if both do; elsewhere, the query or the path says which type. */
const acceptControl = ({ responses }: ApiOperation): Html | null => {
  const types = successTypes(responses)
  if (!types.includes(MEDIA_TYPES.json) || !types.includes('text/html')) return null
  return html`<label>
    <span><code>Accept</code></span>
    <select name="Accept" data-in="header">
      ${types.map((type) => html`<option>${type}</option>`)}
    </select>
  </label>`
}

/** Headers of every operation are left out, to keep the form short, and what the browser sends by itself. */
const isAsked = ({ in: place, name }: Parameter): boolean =>
  place !== 'cookie' && !['Policy-At-Least', 'X-Request-ID', 'Sec-Fetch-Site'].includes(name)

/** A form that sends the operation's request from the page. Without scripts there is no form. */
export const sendForm = (operation: ApiOperation): Html => {
  const { method, path, operationId, summary, parameters } = operation
  const lists = parameters.filter(({ schema }) => schema.type === 'array').map(({ name }) => name)
  return html`<details class="part scripted" hidden>
    <summary>Try it</summary>
    <form class="send" data-method="${method}" data-path="${path}" data-lists="${lists.join(' ')}" autocomplete="off">
      ${parameters.filter(isAsked).map(parameterControl)} ${acceptControl(operation)} ${bodyControls(operation)}
      <p class="buttons">
        <button class="main" type="submit" aria-label="Send “${withoutMarks(summary)}”">Send</button>
        <button class="stop" type="button" hidden>Stop</button>
        <span class="aside"><span class="with-token"></span> <a href="#signing-in">Change</a></span>
      </p>
      <div class="answer" id="${operationId}-answer" hidden>
        <p class="status" role="status"></p>
        <pre class="headers" tabindex="0" role="group" aria-label="Headers of the response"></pre>
        <pre class="body" tabindex="0" role="group" aria-label="Body of the response"></pre>
      </div>
    </form>
  </details>`
}

import { html, type Html } from '../pages/pages.js'
import type { ApiOperation, ApiResponse, SchemaJson } from './api-document.js'
import { fieldsOf, type Field } from './fields.js'
import { prose } from './prose.js'
import { boundsOf, patternsOf, typeOf, valuesOf } from './type-words.js'

const codes = (values: readonly string[]): readonly Html[] =>
  values.map((value) => html`<code>${value === '' ? '""' : value}</code> `)

/** Type, listed values, bounds, pattern and default of a value. */
const typeCell = (schema: SchemaJson): Html => {
  const { default: preset } = schema
  const bounds = boundsOf(schema)
  const values = valuesOf(schema)
  const patterns = patternsOf(schema)
  return html`<span class="type">${typeOf(schema)}</span>
    ${values.length === 0 ? null : html`<span class="values">${codes(values)}</span>`}
    ${bounds.map((bound) => html`<span class="bound">${bound}</span>`)}
    ${patterns.length === 0 ? null : html`<span class="bound">pattern ${codes(patterns)}</span>`}
    ${preset === undefined ? null : html`<span class="bound">default <code>${JSON.stringify(preset)}</code></span>`} `
}

interface Row extends Omit<Field, 'within' | 'name'> {
  readonly name: Html
  readonly description: string | undefined
}

/** `isAsked`: whether “required” is meaningful to the reader. */
const tableOf = (caption: string, rows: readonly Row[], isAsked: boolean): Html =>
  html`<table class="fields">
    <caption>
      ${caption}
    </caption>
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col">Type</th>
        <th scope="col">Description</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ({ name, isRequired, schema, description, variant }) =>
          html`${
              variant === null
                ? null
                : html`<tr class="variant">
                    <td colspan="3">${variant}</td>
                  </tr>`
            }
            <tr>
              <th scope="row">
                ${name}${isRequired && isAsked ? html` <span class="required">required</span>` : null}
              </th>
              <td>${typeCell(schema)}</td>
              <td>${prose(description)}</td>
            </tr>`,
      )}
    </tbody>
  </table>`

/** Breaks between the steps of a long name rather than within one. */
const withinOf = (within: string): readonly Html[] => within.split(/(?<=\.)/).map((step) => html`${step}<wbr />`)

// prettier-ignore
const nameOf = ({ within, name }: Pick<Field, 'within' | 'name'>): Html =>
  html`<code>${within === '' ? null : html`<span class="within">${withinOf(within)}</span>`}${name}</code>`

const rowOf = ({ within, name, ...field }: Field): Row => ({
  ...field,
  name: nameOf({ within, name }),
  description: field.schema.description,
})

/** The fields of a body; null if it has none. */
export const bodyTable = (caption: string, schema: SchemaJson, io: 'request' | 'answer'): Html | null => {
  const rows = fieldsOf(schema).map(rowOf)
  return rows.length === 0 ? null : tableOf(caption, rows, io === 'request')
}

const PLACES = [
  ['path', 'In the path'],
  ['query', 'In the query'],
  ['header', 'In headers'],
] as const

const namesOf = (rows: readonly { readonly label: string }[]): string => rows.map(({ label }) => label).join(', ')

/** The parameters, one table per place. */
export const parameterTables = ({ parameters }: ApiOperation): readonly Html[] =>
  PLACES.flatMap(([place, caption]) => {
    const rows = parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, required, schema, description }) => ({
        label: name,
        name: html`<code>${name}</code>`,
        isRequired: required,
        schema,
        description: description ?? schema.description,
        variant: null,
      }))
    if (rows.length === 0) return []
    const table = tableOf(caption, rows, true)
    if (place !== 'header') return [table]
    // most headers are the same everywhere
    return [
      html`<details class="part" ${rows.some(({ isRequired }) => isRequired) ? html` open` : null}>
        <summary>Headers <span class="aside">${namesOf(rows)}</span></summary>
        ${table}
      </details>`,
    ]
  })

/** The headers of a response. */
export const headerTable = (headers: NonNullable<ApiResponse['headers']>): Html | null => {
  const rows = Object.entries(headers).map(([name, { description, schema }]) => ({
    name: html`<code>${name}</code>`,
    isRequired: false,
    schema,
    description,
    variant: null,
  }))
  return rows.length === 0 ? null : tableOf('Headers', rows, false)
}

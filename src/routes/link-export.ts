import { stringify } from 'csv-stringify/sync'

import type { Link } from '../domain/link.js'
import { ndjson } from './export-text.js'
import type { TextFormat } from './export-text.js'

const COLUMNS = ['id', 'code', 'target', 'owner_id', 'created_at', 'updated_at'] as const

export const LINK_FORMATS: Readonly<Record<'csv' | 'ndjson', TextFormat<Link>>> = {
  csv: {
    type: 'text/csv; charset=utf-8',
    head: stringify([[...COLUMNS]]),
    lines: (links) => stringify(links.map((link) => COLUMNS.map((column) => link[column]))),
  },
  ndjson: ndjson(({ id, code, target, owner_id, created_at, updated_at }) => ({ id, code, target, owner_id, created_at, updated_at })),
}

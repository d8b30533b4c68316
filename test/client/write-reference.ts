import { readFile, writeFile } from 'node:fs/promises'

import { PACKAGE_ROOT } from '../../src/config.js'
import { REFERENCE_HEADING, clientReference } from '../support/client-reference.js'

// npx tsx test/client/write-reference.ts: brings the reference in docs/client.md up to date
const page = new URL('docs/client.md', PACKAGE_ROOT)
const [above = ''] = (await readFile(page, 'utf8')).split(REFERENCE_HEADING)
await writeFile(page, `${above}${REFERENCE_HEADING}${await clientReference()}\n`)

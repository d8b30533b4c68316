import type { Command } from 'commander'

import { migrationStatus } from '../database/migrate.js'
import { openAsOwner, openDatabase } from '../database/open.js'
import { complain, print } from './print.js'
import { settings, whileOpen } from './session.js'

export const register = (program: Command) =>
  program
    .command('migrate')
    .description('bring the database schema up to date')
    .option('--status', 'list the migrations without applying any')
    .action(async ({ status }: { readonly status?: true }) => {
      const config = settings()
      if (status) {
        const migrations = await whileOpen(config, openAsOwner(config), ({ owner }) =>
          migrationStatus({ owner, folder: config.migrations }),
        )
        for (const { name, applied } of migrations) print(`${applied ? 'applied' : 'pending'}  ${name}`)
        return
      }
      const opening = openDatabase(config, { migrating: true, log: complain })
      const migrated = await whileOpen(config, opening, async (opened) => opened.migrated)
      print(migrated.map((name) => `applied  ${name}`).join('\n') || 'the schema is up to date')
    })

import { Command } from 'commander'

import { PACKAGE_ROOT } from '../config.js'
import { listMigrations, openDatabase } from '../database/open.js'
import { print, settings } from './session.js'

/** `linkgate migrate [--status]` */
export const migrateCommand = (): Command =>
  new Command('migrate')
    .description('bring the schema of the database up to date')
    .option('--status', 'list the migrations and change nothing')
    .action(async ({ status }: { readonly status?: true }) => {
      const options = { ...settings(), migrations: new URL('migrations/', PACKAGE_ROOT) }
      if (status) {
        for (const { name, applied } of await listMigrations(options))
          print(`${applied ? 'applied' : 'pending'}  ${name}`)
        return
      }
      const opened = await openDatabase(options, { migrating: true })
      await opened.leave()
      print(
        opened.migrated.length === 0
          ? 'the schema is up to date'
          : opened.migrated.map((name) => `applied  ${name}`).join('\n'),
      )
    })

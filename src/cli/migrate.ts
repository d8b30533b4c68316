import type { Command } from 'commander'

import { listMigrations, openDatabase } from '../database/open.js'
import { complain, print } from './print.js'
import { settings } from './session.js'

export const register = (program: Command) =>
  program
    .command('migrate')
    .description('bring the database schema up to date')
    .option('--status', 'list the migrations without applying any')
    .action(async ({ status }: { readonly status?: true }) => {
      if (status) {
        for (const { name, applied } of await listMigrations(settings()))
          print(`${applied ? 'applied' : 'pending'}  ${name}`)
        return
      }
      const opened = await openDatabase(settings(), { migrating: true, log: complain })
      await opened.leave()
      print(opened.migrated.map((name) => `applied  ${name}`).join('\n') || 'the schema is up to date')
    })

import { Command } from 'commander'

import { PolicyError } from '../../policy/policy-error.js'
import { formatPolicyCsv } from '../../policy/csv.js'
import { print } from '../session.js'
import { withPolicy } from './session.js'

/** `linkgate policy export`: the rows in force, as a file that `policy apply` takes back. */
export const exportCommand = (): Command =>
  new Command('export').description('print the rows in force as CSV').action(async () =>
    withPolicy(async ({ stored: { lastGood } }) => {
      if (lastGood.revision === 0)
        throw new PolicyError('no revision of the stored policy is whole: apply a file, such as policies/default.csv')
      print(formatPolicyCsv(lastGood.rows))
    }),
  )

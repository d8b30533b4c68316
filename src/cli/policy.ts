import { Command } from 'commander'

/** `linkgate policy …` */
export const policyCommand = (): Command => new Command('policy').description('read, check and change the policy rows')

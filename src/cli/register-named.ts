import type { Command } from 'commander'

/** Loads a command on demand, because loading takes most of the time of a short one. */
export type LoadCommand = () => Promise<{ register(parent: Command, rest: readonly string[]): unknown }>

/** Registers the command that the arguments name; otherwise all, for the help and its hints at misspelt names. */
export const registerNamed = async (
  parent: Command,
  commands: ReadonlyMap<string, LoadCommand>,
  [name = '', ...rest]: readonly string[],
): Promise<void> => {
  const named = commands.get(name)
  for (const load of named === undefined ? commands.values() : [named]) await (await load()).register(parent, rest)
}

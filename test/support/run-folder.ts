/** The folder that all processes of one run of the tests share: set by the process that forks the workers. */
const RUN_FOLDER = 'LINKGATE_TEST_RUN_FOLDER'

/** What its name begins with. */
export const RUN_PREFIX = 'linkgate-test-run-'

/** The folder of this run; undefined where nobody made one. */
export const runFolder = (): string | undefined => process.env[RUN_FOLDER]

/** Tells this process, and those that it forks from now on, which folder they share. */
export const setRunFolder = (folder: string): void => {
  process.env[RUN_FOLDER] = folder
}

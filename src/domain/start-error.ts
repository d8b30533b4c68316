/** The program cannot start, for a reason that the operator can fix. The message is one line, shown without a stack. */
export class StartError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message.replace(/\s*\n\s*/g, ' '), options)
    this.name = 'StartError'
  }
}

/** There is no installation where the settings point, and the command does not create one. */
export class NoInstallation extends StartError {
  constructor(where: string) {
    super(`there is no installation in ${where}; "linkgate serve" or "linkgate migrate" makes one`)
    this.name = 'NoInstallation'
  }
}

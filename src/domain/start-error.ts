/** The program cannot start, for a reason that the operator can fix. The message is one line, shown without a stack. */
export class StartError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message.replace(/\s*\n\s*/g, ' '), options)
    this.name = 'StartError'
  }
}

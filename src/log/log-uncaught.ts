import type { Logger } from 'pino'

/**
 * Logs an error that nothing caught, before it ends the process as it would anyway: node writes it to standard error
 * alone, past whoever collects the log.
 */
export const logUncaught = (log: Logger): void => {
  process.on('uncaughtExceptionMonitor', (err, origin) =>
    log.fatal({ err, origin }, 'an error that nothing caught ends the process'),
  )
}

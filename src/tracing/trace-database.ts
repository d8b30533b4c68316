import {
  ATTR_DB_OPERATION_BATCH_SIZE,
  ATTR_DB_QUERY_SUMMARY,
  ATTR_DB_SYSTEM_NAME,
} from '@opentelemetry/semantic-conventions'

import type { Database } from '../database/database.js'
import type { Statement } from '../database/statement.js'
import type { SpanOptions, Tracer } from './tracer.js'

/**
 * The database with a span of each question that is asked within another span. What is asked beside the requests (the
 * policy's checks, the recorder's batches) has none: it would be a trace of its own, several times a second.
 */
export const traceDatabase = (tracer: Tracer, database: Database): Database => ({
  run: (statement) =>
    tracer.active()
      ? tracer.within('database.run', optionsOf([statement]), () => database.run(statement))
      : database.run(statement),
  flush: (statements) =>
    tracer.active()
      ? tracer.within('database.flush', optionsOf(statements), () => database.flush(statements))
      : database.flush(statements),
  transaction: (work) =>
    tracer.active()
      ? tracer.within('database.transaction', optionsOf([]), () => database.transaction(work))
      : database.transaction(work),
  stream: (context, select, batch) =>
    tracer.active()
      ? traceStream(tracer, [context, select], () => database.stream(context, select, batch))
      : database.stream(context, select, batch),
  copy: (context, copy) =>
    tracer.active() ? traceStream(tracer, [context], () => database.copy(context, copy)) : database.copy(context, copy),
  close: () => database.close(),
})

/** Names of prepared statements; never a text or a value. */
const optionsOf = (statements: readonly Pick<Statement, 'name'>[]): SpanOptions => {
  const names = statements.map(({ name }) => name ?? 'unnamed')
  return {
    kind: 'client',
    attributes: {
      [ATTR_DB_SYSTEM_NAME]: 'postgresql',
      ...(names.length === 0 ? {} : { [ATTR_DB_QUERY_SUMMARY]: names.join(', ') }),
      ...(names.length > 1 ? { [ATTR_DB_OPERATION_BATCH_SIZE]: names.length } : {}),
    },
  }
}

async function* traceStream<Rows>(
  tracer: Tracer,
  statements: readonly Statement[],
  open: () => AsyncGenerator<Rows>,
): AsyncGenerator<Rows> {
  const span = tracer.start('database.stream', optionsOf(statements))
  try {
    yield* open()
  } finally {
    span.end()
  }
}

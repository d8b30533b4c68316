import { SpanKind } from '@opentelemetry/api'

import type { Database } from '../database/database.js'
import type { Statement } from '../database/statement.js'
import type { Tracer } from './tracer.js'

/**
 * Wraps the database so that each query of a request gets a span. Background queries (policy checks, the recorder's
 * batches) get none: each would start a trace of its own, several times a second.
 */
export const traceDatabase = (tracer: Tracer, database: Database): Database => {
  const traced = <T>(operation: string, statements: readonly Pick<Statement, 'name'>[], work: () => T): T => {
    if (!tracer.isActive()) return work()
    // only names of prepared statements, never SQL text or values
    const names = statements.map(({ name }) => name ?? 'unnamed')
    const attributes = {
      'db.system.name': 'postgresql',
      'db.query.summary': names.join(', ') || undefined,
      'db.operation.batch.size': names.length > 1 ? names.length : undefined,
    }
    return tracer.within(`database.${operation}`, { kind: SpanKind.CLIENT, attributes }, work)
  }
  return {
    run: (statement) => traced('run', [statement], () => database.run(statement)),
    lookUp: (statement) => traced('run', [statement], () => database.lookUp(statement)),
    flush: (statements, deadline) => traced('flush', statements, () => database.flush(statements, deadline)),
    transaction: (work, deadline) => traced('transaction', [], () => database.transaction(work, deadline)),
    stream: (reader, select, batch) =>
      traced('stream', [reader.enter, select], () => database.stream(reader, select, batch)),
    copy: (reader, copy) => traced('stream', [reader.enter], () => database.copy(reader, copy)),
    parts: (reader, read) => traced('stream', [reader.enter], () => database.parts(reader, read)),
    close: () => database.close(),
  }
}

import { ATTR_ERROR_TYPE } from '@opentelemetry/semantic-conventions'

import { sqlState } from '../database/errors.js'
import { Refusal } from '../domain/refusal.js'
import type { Attributes, Span } from './tracer.js'

/** Why a request was refused: layer, stable code, and the decision behind it. */
export const refusalAttributes = ({
  layer,
  code,
  decision,
}: Pick<Refusal, 'layer' | 'code' | 'decision'>): Attributes => ({
  'linkgate.refusal.layer': layer,
  'linkgate.refusal.code': code,
  ...(decision === undefined ? {} : { 'linkgate.effect': decision.effect, 'linkgate.rule': decision.rule }),
})

/**
 * Says on a span how its work failed. A refusal below 500 is an answer and no fault. Never an error's message:
 * PostgreSQL's may quote a value.
 */
export const markFailure = (span: Span, error: unknown): void => {
  if (error instanceof Refusal) span.set(refusalAttributes(error))
  if (error instanceof Refusal && error.status < 500) return
  const type =
    error instanceof Refusal ? error.code : (sqlState(error) ?? (error instanceof Error ? error.name : 'unknown'))
  span.set({ [ATTR_ERROR_TYPE]: type })
  span.fail(type)
}

import { z } from 'zod'

import { createCounter } from '../../src/layers/1-gateway/rate-limit-store.js'

// A worker of a cluster that counts what its primary asks it to (test/layers/1-gateway/rate-limit-cluster.test.ts).

const Task = z.object({ consume: z.array(z.string()), refund: z.array(z.string()) })

const counter = createCounter({ namespace: 'anonymous', quota: { points: 5, seconds: 600 }, inWorker: true })
process.on('message', (message) => {
  const task = Task.safeParse(message).data
  if (task === undefined) return
  void Promise.all(task.refund.map((bucket) => counter.refund(bucket)))
    .then(() => Promise.all(task.consume.map((bucket) => counter.consume(bucket))))
    .then((counts) => process.send?.({ allowed: counts.filter(({ allowed }) => allowed).length }))
})

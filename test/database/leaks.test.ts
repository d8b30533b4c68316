import { describeLeakHunt } from '../support/leak-hunt.js'

describeLeakHunt('a thousand requests of fifty users over two connections', { requests: 1_000, atOnce: 24 })

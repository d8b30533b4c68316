import { describeLeakHunt } from '../support/leak-hunt.js'

describeLeakHunt('two thousand requests of fifty users over two connections', { requests: 2_000, atOnce: 24 })

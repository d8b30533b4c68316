import { describeLeakHunt } from '../support/leak-hunt.js'

describeLeakHunt('sixty-four clients over two connections for sixty seconds', { milliseconds: 60_000, atOnce: 64 })

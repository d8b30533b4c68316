import { describeLeakHunt } from '../support/leak-hunt.js'

describeLeakHunt('six hundred requests of fifty users over two connections', { requests: 600, atOnce: 24 })

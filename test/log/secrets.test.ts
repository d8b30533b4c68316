import { expect } from 'chai'

import { createLogger } from '../../src/log/create-logger.js'

describe('the log', () => {
  it('has no password of Redis, whose errors carry the command that failed', () => {
    const lines: string[] = []
    const log = createLogger('info', { write: (line) => lines.push(line) })
    const command = { name: 'hello', args: ['3', 'AUTH', 'app', 'S3cretPassword'] }
    log.warn({ err: Object.assign(new Error('WRONGPASS invalid username-password pair'), { command }) }, 'away')
    expect(lines.join('')).to.include('WRONGPASS').and.not.include('S3cret')
  })
})

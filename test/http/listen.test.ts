import { createServer } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

import { expect } from 'chai'

import { interfaceAddresses, listen, portOf } from '../../src/http/listen.js'

const place = { host: '127.0.0.1', port: 0, setting: 'PORT' } as const

describe('listening', () => {
  it('fails with the name of the setting where the port is taken', async () => {
    const first = createServer()
    await listen(first, place)
    const second = await listen(createServer(), { ...place, port: portOf(first) }).catch((error: unknown) => error)
    expect(second).to.have.property('name', 'StartError')
    expect(String(second)).to.include('set PORT to another')
    first.close()
  })

  it('fails with the name of the other setting where this machine does not have the host', async () => {
    // of a documentation network (RFC 5737)
    const nowhere = await listen(createServer(), { ...place, host: '192.0.2.1' }).catch((error: unknown) => error)
    expect(String(nowhere)).to.include('HOST: cannot listen on 192.0.2.1')
  })

  it('swallows no error of the server that comes later', async () => {
    const server = createServer()
    await listen(server, place)
    expect(() => server.emit('error', new Error('too many open files'))).to.throw('too many open files')
    server.close()
  })

  it('goes without the addresses of this machine where a sandbox does not let the system tell them', () => {
    const { networkInterfaces } = os
    os.networkInterfaces = () => {
      throw new Error('uv_interface_addresses returned Unknown system error 97')
    }
    syncBuiltinESMExports()
    try {
      expect(interfaceAddresses()).to.deep.equal([])
    } finally {
      os.networkInterfaces = networkInterfaces
      syncBuiltinESMExports()
    }
    expect(interfaceAddresses()).to.include('127.0.0.1')
  })
})

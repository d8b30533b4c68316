import { runCli } from './cli/program.js'

// Whoever reads our output may leave (`… | head`, a closed terminal): that ends their reading, and not the service.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
})

process.exitCode = await runCli(process.argv)

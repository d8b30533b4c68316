import { runCli } from './cli/program.js'

// Whoever reads our output may leave (`… | head`): that ends their reading, and not the service.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

process.exitCode = await runCli(process.argv)

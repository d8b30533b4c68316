import { listen } from './listen.js'

// the lower bound of a redirect's cost
listen((_, res) => {
  res.writeHead(302, { Location: 'https://example.com/' }).end()
})

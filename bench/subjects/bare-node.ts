import { listen } from './listen.js'

// the least that a redirect can cost
listen((_, res) => {
  res.writeHead(302, { Location: 'https://example.com/' }).end()
})

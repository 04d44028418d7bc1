import { startEmbedded } from '../src/start-embedded.ts'

// Opens the folder, prints its role, and runs until stdin ends.

const [directory = ''] = process.argv.slice(2)
const engine = await startEmbedded({ directory, durable: false })
process.stdout.write(`${engine.role} ${engine.uri}\n`)
process.stdin.resume()
process.stdin.on('end', () => {
  void engine.close().then(() => process.exit(0))
})

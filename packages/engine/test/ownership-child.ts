import { startEmbedded } from '../src/start-embedded.ts'

// Opens the folder, says which role it has, and stays until its input ends.

const [directory = ''] = process.argv.slice(2)
const engine = await startEmbedded({ directory, durable: false })
process.stdout.write(`${engine.role} ${engine.uri}\n`)
process.stdin.resume()
process.stdin.on('end', () => {
  void engine.close().then(() => process.exit(0))
})

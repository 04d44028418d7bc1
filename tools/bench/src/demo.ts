import { buildApp } from '../../../src/server/app.ts'
import { openServices } from '../../../src/server/services/open-services.ts'
import { refuseArguments } from '../../../src/base/config/answer-arguments.ts'
import { withEnvFile } from '../../../src/base/config/env-file.ts'
import { startDeployment } from '../../../src/server/deployment/start-deployment.ts'
import { runServer } from '../../../src/server/run-server.ts'
import { type Demo, prepareDemo } from './demo/prepare-demo.ts'
import { startPreviewSite, withPreview } from './demo/preview-site.ts'
import { formatWelcome } from './demo/welcome.ts'

refuseArguments(`Usage: npm run demo

  Starts the server with sample content and prints a sign-in link. The environment configures it: docs/configuration.md.`)

// Also for libraries that read process.env: proxies, the AWS SDK, mongodb-memory-server.
const env = withEnvFile(process.env)
Object.assign(process.env, env)

const site = await startPreviewSite()
let demo: Demo = { kind: 'other', why: 'nothing was prepared' }

await runServer({
  env,
  startDeployment,
  async createApp(dependencies) {
    const services = await openServices(dependencies)
    try {
      demo = await prepareDemo(services, dependencies.config)
    } catch (error) {
      await services.close()
      throw error
    }
    return buildApp(dependencies, demo.kind === 'sample' ? withPreview(services, site) : services)
  },
  onListening(address, { deployment }) {
    site.follow(address)
    process.stdout.write(formatWelcome(demo, address, deployment.reason))
  },
})

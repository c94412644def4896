export { type AiSdkModel, type AiSdkSource, fromAiSdk, type FromAiSdkOptions } from "./fromAiSdk.ts"

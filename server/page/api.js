// The service's JSON, as docs/service.md describes it. Every call takes a signal that cancels it, and throws a Problem
// with the server's message when it is refused. Addresses are relative to the page, so that it can live under a prefix.

const root = new URL("../", import.meta.url);
let bearer = "";

/** A request that the server refused or could not be sent. `status` is 0 if there was no answer. */
export class Problem extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** Sends this token with every request from now on. It is kept in memory only. */
export function useToken(token) {
  bearer = token;
}

async function call(path, body, signal) {
  const headers = {};
  if (bearer) headers.Authorization = `Bearer ${bearer}`;
  if (body) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(new URL(path, root), {
      method: body ? "POST" : "GET",
      headers,
      body: body ? JSON.stringify(body) : undefined,
      signal,
      credentials: "omit",
      cache: "no-store",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("The server does not answer.", 0);
  }
  const answer = await response.json().catch((error) => {
    if (error.name === "AbortError") throw error;
    return null;
  });
  if (response.ok && answer !== null) return answer;
  const message = answer?.detail ?? answer?.title ?? `The server answered with status ${response.status}.`;
  throw new Problem(message, response.status);
}

/** What the server has: {models, pipelines}. */
export const models = (signal) => call("v1/models", null, signal);
export const tag = (request, signal) => call("v1/tag", request, signal);
export const explain = (request, signal) => call("v1/explain", request, signal);

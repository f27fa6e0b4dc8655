import { shop } from "$lib/shop.server.js";

export const load = shop;

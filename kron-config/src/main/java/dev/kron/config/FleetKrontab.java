package dev.kron.config;

/**
 * A krontab of a fleet, as one of its nodes has it.
 *
 * @param below its path below the directory of fleet krontabs, which stands in identities
 * @param node name of the node
 */
record FleetKrontab(String below, String node) {}

module.exports = { poweredByHeader: false, generateBuildId: () => "build", productionBrowserSourceMaps: false };

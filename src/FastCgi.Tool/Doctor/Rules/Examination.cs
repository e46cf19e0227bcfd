using FastCgi.Tool.Nginx;

namespace FastCgi.Tool.Doctor.Rules;

/// <summary>Every rule at every fastcgi_pass and scgi_pass.</summary>
internal static class Examination
{
    private static readonly Func<PassPoint, DoctorContext, IEnumerable<Finding>>[] s_rules =
    [
        UpstreamRules.Check, ParameterRules.Check, TrustRules.Check, LocationRules.Check, LimitRules.Check,
        CacheRules.Check, SocketRules.Check,
    ];

    /// <summary>The findings in the order of files and lines, one for each rule and line.</summary>
    public static IReadOnlyList<Finding> Of(NginxDirective configuration, DoctorContext context) =>
    [
        .. PassPoint.Find(configuration)
            .SelectMany(point => s_rules.SelectMany(rule => rule(point, context)))
            .DistinctBy(static finding => (finding.Rule, finding.Place))
            .OrderBy(static finding => finding.Place.File, StringComparer.Ordinal)
            .ThenBy(static finding => finding.Place.Line),
    ];
}

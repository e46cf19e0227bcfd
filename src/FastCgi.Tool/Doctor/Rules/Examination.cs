namespace FastCgi.Tool.Doctor.Rules;

/// <summary>Applies every rule to every fastcgi_pass and scgi_pass, and the rules for the whole site.</summary>
internal static class Examination
{
    private static readonly Func<PassPoint, DoctorContext, IEnumerable<Finding>>[] s_rules =
    [
        UpstreamRules.Check, ParameterRules.Check, TrustRules.Check, LocationRules.Check, ForeignRules.Check,
        RedirectRules.Check, LimitRules.Check, CacheRules.Check, SocketRules.Check,
    ];

    /// <summary>Finds mistakes in nginx's files.</summary>
    public static IEnumerable<Finding> Of(
        NginxConfiguration configuration, IReadOnlyList<PassPoint> points, DoctorContext context) =>
        Sort(configuration, configuration.IsReadable ? Check(configuration.Root, points, context) : []);

    /// <summary>
    /// The findings in the order of files and lines, one for each rule and line. First come the reasons why the web
    /// server does not start.
    /// </summary>
    public static IEnumerable<Finding> Sort(NginxConfiguration configuration, IEnumerable<Finding> findings) =>
        configuration.Errors.Select(ToFinding)
            .Concat(configuration.Unread.Select(static place => new Finding(
                "unread", place, "you may not read this file, so it is not checked.", "Run fcgi doctor with sudo.")
            {
                IsHint = true,
            }))
            .Concat(findings.DistinctBy(static finding => (finding.Rule, finding.Place))
                .OrderBy(static finding => finding.Place.File, StringComparer.Ordinal)
                .ThenBy(static finding => finding.Place.Line));

    private static IEnumerable<Finding> Check(
        NginxDirective root, IReadOnlyList<PassPoint> points, DoctorContext context) =>
        points.Where(static point => !point.IsProxy)
            .SelectMany(point => s_rules.SelectMany(rule => rule(point, context)))
            .Concat(SiteRules.Check(root, points, context))
            .Concat(points.Where(static point => point.IsTakenForPhp).Select(TakenForPhp))
            .Concat(OddSpaces(root));

    private static Finding ToFinding(NginxError error)
    {
        string line = error.Named is null || error.Named == error.Place ? ""
            : error.Named.File == error.Place.File ? $" nginx -t names line {error.Named.Line}."
            : $" nginx -t names {error.Named}.";
        return new Finding("syntax", error.Place, $"{error.Message}.{line}", error.Remedy ?? "Correct the line.");
    }

    private static Finding TakenForPhp(PassPoint point) => new(
        "taken-for-php",
        point.Pass.Place,
        $"'{point.Location}' takes scripts, so {point.Target} is taken for PHP, and only the rules for PHP hold.",
        "fcgi doctor --probe asks it.") { IsHint = true };

    /// <summary>Finds characters that look like a space, in words that nginx accepts with them.</summary>
    private static IEnumerable<Finding> OddSpaces(NginxDirective root) =>
        from line in root.WithDescendants()
        let word = line.Arguments.FirstOrDefault(static argument =>
            !argument.Contains(' ') && NginxGrammar.OddCharacter(argument) is not null)
        where word is not null
        select new Finding(
            "odd-space",
            line.Place,
            $"'{word}' has {NginxGrammar.OddCharacter(word)} in it, which nginx takes for a letter.",
            "Write an ordinary space or quote.");
}

using FastCgi.Tool.Configuration;

namespace FastCgi.Tool.Doctor;

/// <summary>What the rules know beside the web server's files.</summary>
/// <param name="MaxRequestBodySize">The application's own limit; null if it is not known.</param>
/// <param name="Applications">
/// What a probe found, by the endpoint (<see cref="PassPoint.EndpointOf"/>); empty without a probe.
/// </param>
internal sealed record DoctorContext(
    BodyLimit? MaxRequestBodySize, IReadOnlyDictionary<string, ProbedApplication> Applications);

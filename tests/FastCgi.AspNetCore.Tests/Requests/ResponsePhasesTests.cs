namespace FastCgi.AspNetCore.Tests.Requests;

public class ResponsePhasesTests
{
    [Theory]
    [InlineData(false, false, false, "Error")]
    [InlineData(false, false, true, "Error")]
    [InlineData(false, true, false, "Error")]
    [InlineData(false, true, true, "Error")]
    [InlineData(true, false, false, "Whole")]
    [InlineData(true, false, true, "Whole")]
    [InlineData(true, true, false, "Torn")]
    [InlineData(true, true, true, "Whole")]
    public void An_outcome_follows_from_start_failure_and_body(
        bool hasStarted, bool hasFailed, bool isBodyForbidden, string outcome) =>
        Assert.Equal(outcome, ApplicationResponse.OutcomeOf(hasStarted, hasFailed, isBodyForbidden).ToString());
}
